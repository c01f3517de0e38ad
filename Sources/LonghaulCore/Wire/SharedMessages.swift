/// Encoded messages that consecutive records have in common, with their values: the transfers of one list have the same options.
///
/// A message with the same bytes becomes the same shared value, without reading its fields, and a shared value is encoded once.
package final class SharedMessages {
    private struct Entry {
        var type: ObjectIdentifier
        var bytes: [UInt8]
        var storage: AnyObject
    }

    /// One per type: the options and the network options of a transfer.
    private var entries: [Entry] = []

    package init() {}

    func value<Message>(_ bytes: UnsafeRawBufferPointer) -> CopyOnWrite<Message>? {
        guard let entry = entries.first(where: { $0.type == ObjectIdentifier(Message.self) }),
            entry.bytes.count == bytes.count, entry.bytes.elementsEqual(bytes)
        else { return nil }
        return CopyOnWrite(storage: unsafeDowncast(entry.storage, to: CopyOnWrite<Message>.Storage.self))
    }

    func bytes<Message>(of value: CopyOnWrite<Message>) -> [UInt8]? {
        entries.first { $0.storage === value.storage }?.bytes
    }

    func record<Message>(_ value: CopyOnWrite<Message>, _ bytes: [UInt8]) {
        let entry = Entry(type: ObjectIdentifier(Message.self), bytes: bytes, storage: value.storage)
        if let place = entries.firstIndex(where: { $0.type == entry.type }) {
            entries[place] = entry
        } else {
            entries.append(entry)
        }
    }
}

extension CopyOnWrite where Value: WireMessage {
    /// Writes the value as a nested message that other records may have, too.
    func put(into fields: inout WireFields, _ number: Int) {
        guard let shared = fields.writer.pointee.shared else { return fields.put(value, number) }
        if let bytes = shared.bytes(of: self) { return fields.writer.pointee.data(Optional(bytes), at: number) }
        let start = fields.writer.pointee.bytes.count
        fields.put(value, number)
        shared.record(self, fields.writer.pointee.content(from: start))
    }
}
