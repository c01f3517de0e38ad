extension String {
    /// The part of a path after the last slash, ignoring trailing slashes; `nil` if it is empty.
    package var baseName: String? {
        var name = utf8[...]
        while name.last == UInt8(ascii: "/") { name = name.dropLast() }
        if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name[name.index(after: slash)...] }
        return name.isEmpty ? nil : String(Substring(name))
    }
}
