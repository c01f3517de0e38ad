/// A list as a message of its own, where a choice between cases has one of them hold a list.
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
