import LonghaulCore
import LonghaulSystem

/// The doctor's look at libcurl: whether it is there, and which bodies pass by it.
struct LibcurlExamination {
    /// What `curl_version` says, such as `libcurl/8.14.1 OpenSSL/3.0.20 …`; or why there is none.
    let library: Finding

    /// Loads the libcurl that a service would load.
    init() {
        library = Self.load()
    }

    /// The paths of a service that this command starts; `nil` without a libcurl.
    func paths(environment: [String: String]) -> Finding? {
        guard let first = library.message.split(separator: " ").first, first.hasPrefix(Self.name) else { return nil }
        let version = String(first.dropFirst(Self.name.count))
        return Self.paths(DirectPaths(libcurl: version, choice: environment[DirectPaths.variable]), past: version)
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

    private static func load() -> Finding {
        let remedy = "install libcurl (Debian: libcurl4)"
        return switch SharedLibrary.ask("libcurl.so.4", "curl_version") {
        case .noLibrary: Finding("libcurl", .fail, "the service cannot load it", remedy: remedy)
        case .noFunction: Finding("libcurl", .fail, "the library lacks curl_version", remedy: remedy)
        case .text(let version): Finding("libcurl", .ok, version ?? "found")
        }
    }
}
