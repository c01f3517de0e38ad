extension BidirectionalCollection {
    /// Returns the collection without the matching elements at both ends.
    @inlinable package func trimming(while isBlank: (Element) -> Bool) -> SubSequence {
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}

extension UInt8 {
    /// A space or a tab in ASCII.
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension String {
    /// The text, or `nil` if it is empty.
    @inlinable package var nonEmpty: String? { isEmpty ? nil : self }
}
