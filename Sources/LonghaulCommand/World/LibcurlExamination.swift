import LonghaulCore
import LonghaulSystem

/// The doctor's look at libcurl: whether it is there, what it can do, and which bodies pass by it.
struct LibcurlExamination {
    /// What `curl_version` says, such as `libcurl/8.14.1 OpenSSL/3.0.20 …`; or why there is none.
    let library: Finding

    /// Loads the libcurl that a service would load.
    init(_ world: World) {
        // Without a service it is the usual one.
        let program = (try? world.locateService()) ?? ""
        library = Self.load(Self.name(among: NeededLibraries(of: program).names))
    }

    /// What a service would do that this command starts; nothing without a libcurl.
    func findings(environment: [String: String]) -> [Finding] {
        let parts = library.message.split(separator: " ")
        guard let first = parts.first, first.hasPrefix(Self.name) else { return [] }
        let version = String(first.dropFirst(Self.name.count))
        let paths = DirectPaths(libcurl: version, choice: environment[DirectPaths.variable])
        // It names the library that frames HTTP/3.
        let hasHTTP3 = parts.contains { $0.hasPrefix("nghttp3/") || $0.hasPrefix("quiche/") }
        return [Self.paths(paths, past: version), Self.http3(hasHTTP3, in: version)]
    }

    static func http3(_ isThere: Bool, in version: String) -> Finding {
        guard !isThere else { return Finding("http3", .ok, "libcurl \(version) has HTTP/3, for --http3 and --alt-svc") }
        return Finding(
            "http3", .note, "libcurl \(version) has no HTTP/3, so --http3 and --alt-svc go on with HTTP/2",
            remedy:
                "Debian 13's has it, and on Debian 12 a Longhaul that is built with libcurl4-gnutls-dev of its backports"
        )
    }

    /// The libcurl among the libraries of a program: Debian has two flavours under two names.
    static func name(among libraries: [String]) -> String {
        libraries.first { $0.hasPrefix("libcurl") } ?? "libcurl.so.4"
    }

    /// The paths of a service.
    static func paths(_ paths: DirectPaths, past version: String) -> Finding {
        let directions = (paths.receives ? ["received"] : []) + (paths.sends ? ["sent"] : [])
        if !directions.isEmpty {
            let text = "long bodies of plain HTTP are \(directions.joined(separator: " and ")) past libcurl \(version)"
            return Finding("paths", .ok, text + ", which was tested so")
        }
        if DirectPaths.tested(with: version) == .none {
            return Finding("paths", .note, "all bodies go through libcurl \(version), which was not tested otherwise")
        }
        return Finding(
            "paths", .note, "all bodies go through libcurl \(version), as \(DirectPaths.variable)=plain wants it")
    }

    private static let name = "libcurl/"

    private static func load(_ name: String) -> Finding {
        let remedy = "install libcurl (Debian: \(name == "libcurl.so.4" ? "libcurl4" : "libcurl3-gnutls"))"
        return switch SharedLibrary.ask(name, "curl_version") {
        case .noLibrary: Finding("libcurl", .fail, "the service cannot load it", remedy: remedy)
        case .noFunction: Finding("libcurl", .fail, "the library lacks curl_version", remedy: remedy)
        case .text(let version): Finding("libcurl", .ok, version ?? "found")
        }
    }
}
