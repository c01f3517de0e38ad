@testable import LonghaulCommand

/// The lines of a document of this repository, without empty ones.
func documentLines(_ name: String) throws -> [Substring] {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let bytes = try LocalFiles.readAll("/\(root)/\(name)", limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
}
