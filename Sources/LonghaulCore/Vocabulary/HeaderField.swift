/// One header field of a request or a response.
public struct HeaderField: Equatable, Sendable {
    /// The field's name as it was given; compared without regard to case.
    public var name: String
    /// The field's value without leading and trailing white space.
    public var value: String
    /// Whether the value must never be shown, listed or logged, and is dropped when a redirect changes the origin.
    public var isSecret: Bool

    /// Makes a field. `Authorization`, `Cookie` and `Proxy-*` fields are secret whatever is asked.
    public init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret || Self.isAlwaysSecret(name)
    }

    private static func isAlwaysSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "authorization" || name == "cookie" || name == "set-cookie" || name.hasPrefix("proxy-")
    }
}

extension [HeaderField] {
    /// The value of the only field with this name; `nil` when it is absent, or present with differing values.
    public func single(_ name: String) -> String? {
        let values = all(name)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Every value given under this name, in order.
    public func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return filter { $0.name.lowercased() == wanted }.map(\.value)
    }
}
