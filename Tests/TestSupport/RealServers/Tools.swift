import Glibc

/// The paths of programs that tests run but do not build.
package enum Tools {
    /// `LONGHAUL_TOOLS`, otherwise `.tools` in the package; `scripts/setup` fills it.
    package static var directory: String {
        if let directory = environment["LONGHAUL_TOOLS"] { return directory }
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return root.joined(separator: "/") + "/.tools"
    }

    /// The test process's own environment.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }

    /// Why a program cannot be used; `nil` if it can.
    static func missing(_ name: String, _ path: String, isProgram: Bool = true) -> String? {
        access(path, isProgram ? X_OK : R_OK) == 0 ? nil : "\(name) is not at \(path): scripts/setup installs it"
    }

    static var isRoot: Bool { geteuid() == 0 }
}
