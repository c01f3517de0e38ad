extension HeaderField: WireRecord {
    package static var blank: Self { Self("", "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&name, 1)
        try wire.text(&value, 2)
        try wire.flag(&isSecret, 3)
        try wire.flag(&isOmitted, 4)
    }

    /// A header that is always secret becomes secret, whatever the bytes say.
    package mutating func complete() {
        self = isOmitted ? .omitting(name) : HeaderField(name, value, isSecret: isSecret)
    }
}
