import Glibc
import LonghaulCore
import Testing

@testable import LonghaulCommand

/// A file in `Captures` with text as a terminal shows it. With `LONGHAUL_RENEW_CAPTURES=1`, the test writes the file.
enum Capture {
    private static let directory =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Captures/"

    /// Compares the text with the capture `name`.
    ///
    /// - Parameter columns: The width of the terminal; `nil` for a pipe.
    static func expect(
        _ text: String, matches name: String, columns: Int? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
        for line in text.split(separator: "\n") {
            #expect(columns.map { DisplayText.width(String(line)) <= $0 } ?? true, "\(line)", sourceLocation: location)
        }
        let path = directory + name + ".txt"
        if getenv("LONGHAUL_RENEW_CAPTURES") != nil {
            return try LocalFiles.write(Array(text.utf8), to: path, overwrites: true)
        }
        let known = String(decoding: try LocalFiles.readAll(path, limit: 1 << 20), as: UTF8.self)
        #expect(
            text == known, "\(name) differs. LONGHAUL_RENEW_CAPTURES=1 rewrites the capture; read the diff.",
            sourceLocation: location)
    }
}
