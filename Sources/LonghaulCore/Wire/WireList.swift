/// A list as a message of its own, where a choice between cases has one of them hold a list.
package struct WireList<Element: WireMessage>: WireMessage {
    package var items: [Element]

    package init(_ items: [Element]) {
        self.items = items
    }

    package func encode(into writer: inout WireWriter) {
        writer.messages(items, at: 1)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        items = []
        while let field = try reader.nextField() {
            switch field {
            case 1: items.append(try reader.message())
            default: try reader.skip()
            }
        }
    }
}
