/// The stored properties of a value, each described as text.
package func properties(_ value: Any) -> [String: String] {
    let children = Mirror(reflecting: value).children.map {
        (propertyName($0.label ?? ""), String(reflecting: $0.value))
    }
    return Dictionary(children) { first, _ in first }
}

/// The name of the property that a copy-on-write box stores: `facts` for `sharedFacts`.
package func propertyName(_ label: String) -> String {
    guard label.hasPrefix("shared"), let first = label.dropFirst(6).first else { return label }
    return first.lowercased() + label.dropFirst(7)
}
