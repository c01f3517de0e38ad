import LonghaulCore

/// Writes JSON (RFC 8259) into a byte buffer, one value after the other, and inserts the commas.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func object(_ content: (inout JSONWriter) -> Void) {
        open("{")
        content(&self)
        close("}")
    }

    mutating func array(_ content: (inout JSONWriter) -> Void) {
        open("[")
        content(&self)
        close("]")
    }

    mutating func object(_ key: String, _ content: (inout JSONWriter) -> Void) {
        name(key)
        object(content)
    }

    mutating func array(_ key: String, _ content: (inout JSONWriter) -> Void) {
        name(key)
        array(content)
    }

    mutating func member(_ key: String, _ value: String?) {
        name(key)
        guard let value else { return raw("null") }
        string(value)
    }

    mutating func member(_ key: String, _ value: Int64?) {
        name(key)
        raw(value.map { String($0) } ?? "null")
    }

    mutating func member(_ key: String, _ value: Int?) {
        member(key, value.map { Int64($0) })
    }

    mutating func member(_ key: String, _ value: Bool) {
        name(key)
        raw(value ? "true" : "false")
    }

    mutating func member(_ key: String, _ value: WallTime?) {
        member(key, value.map { TimeText.stamp($0) })
    }

    mutating func string(_ value: String) {
        comma()
        quoted(value)
        needsComma = true
    }

    /// Ends a line, as JSON Lines requires.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        comma()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func name(_ key: String) {
        comma()
        quoted(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: scalar)])
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            // Texts from servers must not control a terminal that shows the output. All these are below U+10000.
            case _ where DisplayText.isHarmful(scalar):
                let digits = String(scalar.value, radix: 16)
                bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
