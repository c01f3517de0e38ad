import CExpat
import LonghaulCore

/// Reads an XML document with expat, and reports the start and end of elements and the text between them.
///
/// Nothing outside of the document is read: a document with a document type declaration, which can define entities, is refused.
final class XMLReading {
    /// An element: its lowercase name without its namespace, and its attributes by name.
    struct Element {
        var name: String
        var attributes: [String: String]
    }

    /// How deep elements may be nested.
    private static let depthLimit = 16
    private let parser: XML_Parser
    private var depth = 0
    private var refusal: String?
    private let begin: (Element) -> Void
    private let end: (String) -> Void
    private let text: (String) -> Void

    /// Reads the whole document. Returns the error with its line, if there is one.
    static func read(
        _ bytes: [UInt8], begin: @escaping (Element) -> Void, end: @escaping (String) -> Void,
        text: @escaping (String) -> Void
    ) -> String? {
        guard let parser = XML_ParserCreateNS(nil, 0x0A) else { return "out of memory" }
        let reading = XMLReading(parser, begin: begin, end: end, text: text)
        return withExtendedLifetime(reading) { reading.run(bytes) }
    }

    private init(
        _ parser: XML_Parser, begin: @escaping (Element) -> Void, end: @escaping (String) -> Void,
        text: @escaping (String) -> Void
    ) {
        self.parser = parser
        self.begin = begin
        self.end = end
        self.text = text
    }

    deinit { XML_ParserFree(parser) }

    private func run(_ bytes: [UInt8]) -> String? {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, elementBegins, elementEnds)
        XML_SetCharacterDataHandler(parser, textComes)
        XML_SetStartDoctypeDeclHandler(parser, doctypeBegins)
        let status = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32(clamping: $0.count), 1) }
        }
        if let refusal { return refusal }
        guard status == XML_STATUS_OK else {
            let why = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "syntax error"
            return "line \(XML_GetCurrentLineNumber(parser)): \(why)"
        }
        return nil
    }

    fileprivate func refuse(_ why: String) {
        refusal = "line \(XML_GetCurrentLineNumber(parser)): \(why)"
        XML_StopParser(parser, 0)
    }

    fileprivate func begins(_ element: Element) {
        depth += 1
        guard depth <= Self.depthLimit else { return refuse("elements nested too deeply") }
        begin(element)
    }

    fileprivate func ends(_ name: String) {
        depth -= 1
        end(name)
    }

    fileprivate func comes(_ words: String) { text(words) }

    /// Returns the name without the namespace, which expat puts before it, separated by a line feed.
    fileprivate static func name(_ text: UnsafePointer<CChar>?) -> String {
        let whole = text.map { String(cString: $0) } ?? ""
        return whole.split(separator: "\n").last.map { $0.lowercased() } ?? ""
    }
}

private func reading(_ data: UnsafeMutableRawPointer?) -> XMLReading {
    guard let data else { preconditionFailure("The parser was given its reading.") }
    return Unmanaged<XMLReading>.fromOpaque(data).takeUnretainedValue()
}

private func elementBegins(
    _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    var element = XMLReading.Element(name: XMLReading.name(name), attributes: [:])
    var index = 0
    while let attributes, let key = attributes[index], let value = attributes[index + 1] {
        element.attributes[XMLReading.name(key)] = String(cString: value)
        index += 2
    }
    reading(data).begins(element)
}

private func elementEnds(_ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    reading(data).ends(XMLReading.name(name))
}

private func textComes(_ data: UnsafeMutableRawPointer?, _ text: UnsafePointer<CChar>?, _ count: Int32) {
    guard let text else { return }
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
    reading(data).comes(String(decoding: bytes, as: UTF8.self))
}

private func doctypeBegins(
    _ data: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?, _ system: UnsafePointer<CChar>?,
    _ publicName: UnsafePointer<CChar>?, _ hasSubset: Int32
) {
    reading(data).refuse("a document type declaration is not allowed")
}
