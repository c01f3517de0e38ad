import Glibc

/// Lists of words as C wants them.
package enum CStrings {
    /// Calls `body` with the strings, and a null pointer after the last.
    package static func with<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("a list with an end has an address") }
            return body(start)
        }
    }
}
