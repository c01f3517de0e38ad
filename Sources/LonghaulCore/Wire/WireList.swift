/// A list as a separate message, for a case of a choice that contains a list.
package struct WireList<Element: WireMessage>: WireRecord {
    package var items: [Element]

    package init(_ items: [Element]) {
        self.items = items
    }

    package static var blank: Self { Self([]) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&items, 1)
    }
}
