/// The `Content-Range` of a single range of bytes (RFC 9110, section 14.4).
package enum ContentRange: Equatable, Sendable {
    /// `bytes first-last/total`, or `bytes first-last/*`.
    case part(first: Int64, last: Int64, total: Int64?)
    /// `bytes position-(position-1)/total`, or `.../*`: the invalid form of some servers for an empty range, usually at the end of a file.
    case empty(at: Int64, total: Int64?)
    /// `bytes */total`, in a 416.
    case unsatisfied(total: Int64)

    /// Returns `nil` if the value is invalid or contradictory.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        let unit = scanner.takeWhile(\.isTokenByte)
        guard unit.lazy.map(\.lowercasedASCII).elementsEqual("bytes".utf8), scanner.read(" ") else { return nil }
        if scanner.read("*") {
            guard scanner.read("/"), let total = scanner.takeDecimal(), scanner.isAtEnd else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        guard let first = scanner.takeDecimal(), scanner.read("-"), let last = scanner.takeDecimal(),
            scanner.read("/")
        else { return nil }
        let total: Int64?
        if scanner.read("*") {
            total = nil
        } else {
            guard let number = scanner.takeDecimal(), last < number else { return nil }
            total = number
        }
        // The length of a range that ends at the last possible byte would overflow.
        guard scanner.isAtEnd, last < .max, first <= last + 1 else { return nil }
        self =
            first <= last
            ? .part(first: first, last: last, total: total) : .empty(at: first, total: total)
    }
}
