import LonghaulCore
import LonghaulSystem

/// Queries the desktop's settings, or a proxy script, for the proxy to a server. It blocks for up to a few seconds per
/// program that it calls.
enum ProxyInquiry {
    private static let milliseconds: Int32 = 5_000
    private static let longestScript = 1 << 20
    /// Duktape, which can only compute. An interpreter that can read files or start programs is unsuitable for
    /// untrusted scripts.
    private static let interpreter = ["duk", "/dev/stdin"]

    static func answer(_ source: ProxySource, for url: TransferURL) -> Result<FoundProxy, TransferFailure> {
        do throws(TransferFailure) {
            switch source {
            case .system: return .success(try desktop(url))
            case .script(let place): return .success(try asked(place, url))
            }
        } catch {
            return .failure(error)
        }
    }

    private static func desktop(_ url: TransferURL) throws(TransferFailure) -> FoundProxy {
        let settings: DesktopProxy?
        do throws(SystemError) {
            let (output, status) = try call(["gsettings", "list-recursively", "org.gnome.system.proxy"], [])
            settings = status == 0 ? DesktopProxy(settings: output) : nil
        } catch {
            throw TransferFailure(
                .proxyFailed,
                "Could not read the desktop's proxy settings: gsettings failed (\(error.text)). Set --proxy.",
                origin: error.origin)
        }
        switch settings {
        case .none?: return FoundProxy(url: "")
        case .named(let http, let https, let exceptions)?:
            return FoundProxy(url: url.scheme == "https" ? https : http, exceptions: exceptions)
        case .script("")?:
            throw failure(
                "The desktop's settings require proxy discovery (WPAD), which Longhaul does not support. Set --proxy."
            )
        case .script(let place)?: return try asked(place, url)
        case nil:
            throw failure("The desktop has no proxy settings (org.gnome.system.proxy). Set --proxy.")
        }
    }

    private static func asked(_ place: String, _ url: TransferURL) throws(TransferFailure) -> FoundProxy {
        let name = (try? TransferURL(parsing: place))?.redacted ?? place
        let script = String(decoding: try read(place, named: name), as: UTF8.self)
        let addresses = ProxyScript.wantsAddress(script) ? lookedUp(url.host) : []
        let program = ProxyScript.program(script, for: url, addresses: addresses, own: ownAddress)
        guard let answer = ProxyScript.answer(in: try run(program, named: name)) else {
            throw failure(
                "The proxy script \(name) failed or returned nothing. Report it to its author, or set --proxy.")
        }
        guard let found = FoundProxy(answer: answer) else {
            throw failure(
                "The proxy script \(name) returned no valid proxy. Report it to its author, or set --proxy.")
        }
        return found
    }

    private static func run(_ program: String, named name: String) throws(TransferFailure) -> String {
        do throws(SystemError) {
            return try call(interpreter, Array(program.utf8)).output
        } catch .timedOut {
            throw failure(
                "The proxy script \(name) took longer than \(milliseconds / 1_000) s. Report it to its author, or set --proxy."
            )
        } catch .tooMuch {
            throw failure(
                "The proxy script \(name) wrote too much output. Report it to its author, or set --proxy.")
        } catch .missing {
            throw failure("Could not run the proxy script \(name): duktape is missing. Install it, or set --proxy.")
        } catch {
            throw TransferFailure(
                .proxyFailed, "Could not run the proxy script \(name): \(error.text). Set --proxy.",
                origin: error.origin)
        }
    }

    private static func read(_ place: String, named name: String) throws(TransferFailure) -> [UInt8] {
        if place.hasPrefix("http://") || place.hasPrefix("https://") {
            return try ScriptFetch.get(place, named: name, limit: longestScript)
        }
        do throws(SystemError) {
            return try Descriptor(opening: place, [.reading]).readAll(limit: longestScript)
        } catch {
            throw TransferFailure(
                .proxyFailed, "Could not read the proxy script \(name): \(error.text). Check its path.",
                origin: error.origin)
        }
    }

    /// Returns the host's IPv4 addresses. Such scripts do not support IPv6.
    private static func lookedUp(_ host: String) -> [String] {
        words(of: ["getent", "--", "ahostsv4", host])
    }

    /// The first non-loopback address of this machine.
    private static var ownAddress: String { words(of: ["hostname", "-I"]).first ?? "127.0.0.1" }

    private static func words(of command: [String]) -> [String] {
        // Without an answer, the script decides without the addresses.
        guard let (output, status) = try? call(command, []), status == 0 else { return [] }
        return output.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static func call(_ words: [String], _ input: [UInt8]) throws(SystemError) -> (output: String, status: Int32)
    {
        let (output, status) = try ChildProgram.call(words, input, limit: 1 << 16, withinMilliseconds: milliseconds)
        return (String(decoding: output, as: UTF8.self), status)
    }

    private static func failure(_ sentence: String) -> TransferFailure { TransferFailure(.proxyFailed, sentence) }
}
