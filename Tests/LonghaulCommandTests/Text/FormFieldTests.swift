import LonghaulCore
import Testing

@testable import LonghaulCommand

/// `-F` as curl reads it (its manual, "-F, --form").
@Suite struct FormFieldTests {
    private func parse(_ text: String) throws(TransferFailure) -> FormPart {
        try FormField.parse(text, TestWorld().world(), .commandLine)
    }

    @Test(
        arguments: [
            ("a=b", .text("b")), ("a=", .text("")), ("a=b=c", .text("b=c")),
            ("a=b;type=text/plain", .text("b", contentType: "text/plain")),
            ("a=b; type=text/html; charset=utf-8", .text("b", contentType: "text/html; charset=utf-8")),
            ("a=b;filename=x.txt", .text("b", fileName: "x.txt")),
            ("a=\"b;c\"", .text("b;c")), ("a=\"b\\\"c\\\\d\\e\"", .text("b\"c\\d\\e")),
            ("a=\"b;type=x\";type=t/p", .text("b;type=x", contentType: "t/p")),
            ("a= b\nc ", .text("b\nc")), ("a=\" b \"", .text(" b ")), ("a=\"b", .text("\"b")),
            ("a=b@c", .text("b@c")), ("a=<b", .text("<b")), ("a=b\"c\"", .text("b\"c\"")),
        ] as [(String, FormPart.Content)])
    func aValueIsReadAsCurlReadsIt(text: String, content: FormPart.Content) throws {
        let part = try parse(text)
        #expect(part.name == "a" && part.content == content)
    }

    @Test(
        arguments: [
            ("f=@/x/a.txt", "/x/a.txt", "a.txt", "text/plain"),
            ("f=@\"/x/a;b.txt\"", "/x/a;b.txt", "a;b.txt", "text/plain"),
            ("f=@/x/a;filename=\"a;b\"", "/x/a", "a;b", "application/octet-stream"),
            ("f=@/x/a;filename=\"q\\\"r\";type=image/png", "/x/a", "q\"r", "image/png"),
            ("f=@/x/a ; type=text/csv ; filename= b c ", "/x/a", "b c", "text/csv"),
            ("f=@/x/a,b", "/x/a,b", "a,b", "application/octet-stream"),
        ])
    func aFileIsReadAsCurlReadsIt(text: String, path: String, fileName: String, type: String) throws {
        let content = try parse(text).content
        guard case .file(let source, fileName, type) = content else { return #expect(Bool(false), "\(content)") }
        #expect(source.path == path)
    }

    /// curl ignores unknown parts with a warning; here none is ignored.
    @Test(arguments: [
        "a", "=b", "a=b;c", "a=b;type=", "a=b;type=plain", "f=@/x/a;color=red", "f=@-", "a=\"b\"c",
        "a=b;headers=X: y",
    ])
    func meaninglessFieldIsRejected(text: String) {
        #expect(throws: TransferFailure.self) { try parse(text) }
    }
}
