import LonghaulCore
import LonghaulSystem

/// The doctor's check of libcurl: its presence, its features, and the paths of bodies.
struct LibcurlExamination {
    /// The result of `curl_version`, such as `libcurl/8.14.1 OpenSSL/3.0.20 …`; or why it is missing.
    let library: Finding

    /// Loads the libcurl that a service would load.
    init(_ world: World) {
        // Without a service, the usual libcurl is loaded.
        let program = (try? world.locateService()) ?? ""
        library = Self.load(Self.name(among: NeededLibraries(of: program).names))
    }

    /// The findings for a service that this command would start; empty without libcurl.
    func findings(environment: [String: String]) -> [Finding] {
        let parts = library.message.split(separator: " ")
        guard let first = parts.first, first.hasPrefix(Self.name) else { return [] }
        let version = String(first.dropFirst(Self.name.count))
        let paths = DirectPaths(libcurl: version, choice: environment[DirectPaths.variable])
        // It names the library that frames HTTP/3.
        let hasHTTP3 = parts.contains { $0.hasPrefix("nghttp3/") || $0.hasPrefix("quiche/") }
        return [Self.paths(paths, past: version)] + Self.http2(in: version) + [Self.http3(hasHTTP3, in: version)]
    }

    /// Returns the finding about uploads over HTTP/2; none from version 8.1 on.
    static func http2(in version: String) -> [Finding] {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard !numbers.isEmpty, numbers.lexicographicallyPrecedes([8, 1]) else { return [] }
        return [
            Finding(
                "http2", .note,
                tr("libcurl \(version) can corrupt uploads over HTTP/2, so uploads use HTTP/1.1 where possible."),
                remedy: tr("libcurl 8.1 and later do not have this fault."))
        ]
    }

    static func http3(_ isSupported: Bool, in version: String) -> Finding {
        guard !isSupported else {
            return Finding("http3", .ok, tr("libcurl \(version) supports HTTP/3 (--http3, --alt-svc)."))
        }
        return Finding(
            "http3", .note,
            tr("libcurl \(version) does not support HTTP/3, so --http3 and --alt-svc use HTTP/2."),
            remedy: tr(
                "The libcurl of Debian 13 supports it. On Debian 12, build Longhaul with libcurl4-gnutls-dev of the backports."
            ))
    }

    /// The libcurl among the libraries of a program: Debian has two flavours under two names.
    static func name(among libraries: [String]) -> String {
        libraries.first { $0.hasPrefix("libcurl") } ?? "libcurl.so.4"
    }

    /// Returns the finding about bodies in a service that bypass libcurl.
    static func paths(_ paths: DirectPaths, past version: String) -> Finding {
        switch (paths.receives, paths.sends) {
        case (true, true):
            return Finding(
                "paths", .ok,
                tr("Long HTTP bodies are received and sent without libcurl (tested with libcurl \(version))."))
        case (true, false):
            return Finding(
                "paths", .ok, tr("Long HTTP bodies are received without libcurl (tested with libcurl \(version))."))
        case (false, true):
            return Finding(
                "paths", .ok, tr("Long HTTP bodies are sent without libcurl (tested with libcurl \(version))."))
        case (false, false): break
        }
        return DirectPaths.tested(with: version) == .none
            ? Finding(
                "paths", .note, tr("All bodies pass through libcurl \(version), which was not tested with other paths.")
            )
            : Finding(
                "paths", .note,
                tr("All bodies pass through libcurl \(version), as \(DirectPaths.variable)=plain requests."))
    }

    private static let name = "libcurl/"

    private static func load(_ name: String) -> Finding {
        let package = name == "libcurl.so.4" ? "libcurl4" : "libcurl3-gnutls"
        let remedy = tr("Install libcurl (Debian package \(package)).")
        return switch SharedLibrary.call(name, "curl_version") {
        case .noLibrary: Finding("libcurl", .fail, tr("The service cannot load libcurl."), remedy: remedy)
        case .noFunction: Finding("libcurl", .fail, tr("The library has no function curl_version."), remedy: remedy)
        case .text(let version): Finding("libcurl", .ok, version ?? tr("libcurl is installed."))
        }
    }
}
