extension String {
    /// What stands after the last slash of a path, slashes at its end aside; `nil` where nothing does.
    package var baseName: String? {
        var name = utf8[...]
        while name.last == UInt8(ascii: "/") { name = name.dropLast() }
        if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name[name.index(after: slash)...] }
        return name.isEmpty ? nil : String(Substring(name))
    }
}
