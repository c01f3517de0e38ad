/// A header of a request or a response.
public struct HeaderField: Equatable, Sendable {
    /// The name as it was given. Comparisons ignore its case.
    public var name: String
    /// The value without leading and trailing white space.
    public var value: String
    /// Whether the value is a secret: it is never shown, listed, or logged, and is dropped when a redirect
    /// changes the origin.
    public var isSecret: Bool
    /// Whether the request has no header of this name, although Longhaul or libcurl would add one.
    package var isOmitted = false

    /// Creates a header. `Authorization`, `Cookie`, and `Proxy-*` are always secret.
    public init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret || Self.isAlwaysSecret(name)
    }

    /// Returns an instruction to send no header of this name.
    package static func omitting(_ name: String) -> HeaderField {
        var field = HeaderField(name, "")
        field.isOmitted = true
        return field
    }

    /// The header, marked secret if its name suggests a secret, as `X-Api-Key` does. An idempotency key is
    /// not a secret.
    package var guarded: HeaderField {
        let name = name.lowercased()
        let isTelling = ["auth", "cookie", "credential", "key", "passw", "secret", "signature", "token"].contains {
            name.contains($0)
        }
        return isTelling && name != "idempotency-key" ? HeaderField(self.name, value, isSecret: true) : self
    }

    /// The header as it may be shown or logged: without secret values, and without the users and queries of
    /// URLs, which may contain signatures.
    package var shown: HeaderField {
        let name = name.lowercased()
        if guarded.isSecret || name.contains("sign") { return HeaderField(self.name, "(secret)", isSecret: true) }
        let holdsAddress =
            ["location", "content-location", "link", "refresh"].contains(name) || value.contains("://")
            || value.hasPrefix("/")
        return holdsAddress ? HeaderField(self.name, Self.withoutQueries(value)) : self
    }

    private static func withoutQueries(_ value: String) -> String {
        var shown: [UInt8] = []
        var isHidden = false
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""):
                isHidden = false
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                if !isHidden { shown += "?(secret)".utf8 }
                isHidden = true
            case UInt8(ascii: "@"):
                if !isHidden { dropUser(from: &shown) }
            default: break
            }
            if !isHidden { shown.append(byte) }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// A text between the last `//` and an `@` is a user, unless a slash comes in between (RFC 3986, section
    /// 3.2.1).
    private static func dropUser(from shown: inout [UInt8]) {
        guard let slash = shown.lastIndex(of: UInt8(ascii: "/")), slash > 0, shown[slash - 1] == UInt8(ascii: "/")
        else {
            return
        }
        shown.removeSubrange((slash + 1)...)
        shown += "(secret)".utf8
    }

    /// Returns whether the header has this name, which is case-insensitive (RFC 9110, section 5.1).
    package func isNamed(_ name: String) -> Bool { Self.isSame(self.name.utf8, name.utf8) }

    private static func isAlwaysSecret(_ name: String) -> Bool {
        let name = name.utf8
        return isSame(name, "Authorization".utf8) || isSame(name, "Cookie".utf8) || isSame(name, "Set-Cookie".utf8)
            || isSame(name.prefix(6), "Proxy-".utf8)
    }

    private static func isSame(_ name: some Collection<UInt8>, _ other: String.UTF8View) -> Bool {
        name.count == other.count && name.elementsEqual(other) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

/// The header fields of a request: an array of ``HeaderField``, or a dictionary of names and values.
///
/// ```swift
/// headers: ["Content-Type": "image/jpeg"]
/// headers: [HeaderField("Accept", "text/html"), HeaderField("Accept", "text/plain", isSecret: true)]
/// ```
///
/// An array keeps its order, and can repeat a name and mark secrets. The fields of a dictionary are sent in the order of their
/// names, so that they are the same at each launch.
public protocol HeaderFields: Sendable {
    /// The fields, in the order in which they are sent.
    var headerFields: [HeaderField] { get }
}

extension [HeaderField]: HeaderFields {
    /// The array itself.
    public var headerFields: [HeaderField] { self }
}

extension Dictionary: HeaderFields where Key == String, Value == String {
    /// The fields in the order of their names.
    public var headerFields: [HeaderField] { sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) } }
}

extension [HeaderField] {
    /// The value of the first header with this name; `nil` if there is none. Names are compared without case (RFC 9110,
    /// section 5.1).
    public subscript(name: String) -> String? { first { $0.isNamed(name) }?.value }

    /// Returns the value of the only header with this name; `nil` if it is absent, or present with different
    /// values.
    public func single(_ name: String) -> String? {
        var found: String?
        for field in self where field.isNamed(name) {
            if let found, found != field.value { return nil }
            found = field.value
        }
        return found
    }

    /// Returns whether a header with a single value is present with different values.
    package func contradicts(_ name: String) -> Bool {
        single(name) == nil && contains { $0.isNamed(name) }
    }

    /// Returns every value with this name, in order.
    package func all(_ name: String) -> [String] {
        compactMap { $0.isNamed(name) ? $0.value : nil }
    }
}
