@testable import LonghaulCommand

/// The root of this repository, with a slash at its end.
let documentRoot = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/"

/// The text of a file of this repository.
func documentText(_ name: String) throws -> String {
    String(decoding: try LocalFiles.readAll(documentRoot + name, limit: 1 << 20), as: UTF8.self)
}

/// The lines of a document of this repository, without empty ones.
func documentLines(_ name: String) throws -> [Substring] {
    try documentText(name).split(separator: "\n")
}
