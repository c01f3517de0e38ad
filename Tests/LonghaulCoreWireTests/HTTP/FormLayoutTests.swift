import LonghaulCore
import Testing

@Suite struct FormLayoutTests {
    private func file(_ size: Int64) -> SourceFile {
        SourceFile(path: "/f", pin: SourcePin(size: size, modified: 0, inode: 1, device: 1))
    }

    private func text(of segments: [BodyPlan.Segment]) -> String {
        segments.map { segment in
            switch segment {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .file(let source, let offset, let length): "<\(source.path) \(offset) \(length)>"
            }
        }.joined()
    }

    @Test func multipartBodyHasExpectedBytesAndLength() {
        let parts = [
            FormPart(name: "title", content: .text("naïve")),
            FormPart(name: "photo", content: .file(file(7), fileName: "a.jpg", contentType: "image/jpeg")),
            FormPart(name: "photo", content: .file(file(0), fileName: "b", contentType: "")),
        ]
        let (segments, length) = FormLayout.segments(boundary: "B", parts: parts)
        let body = """
            --B\r\nContent-Disposition: form-data; name="title"\r\n\r\nnaïve\r\n\
            --B\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n\
            </f 0 7>\r\n--B\r\nContent-Disposition: form-data; name="photo"; filename="b"\r\n\
            Content-Type: application/octet-stream\r\n\r\n</f 0 0>\r\n--B--\r\n
            """
        #expect(text(of: segments) == body)
        #expect(segments.count == 5)
        #expect(length == Int64(body.utf8.count - "</f 0 7></f 0 0>".utf8.count + 7))
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\nb", "a%0D%0Ab"), ("a\rb", "a%0D%0Ab"), ("a\r\nb", "a%0D%0Ab"),
        ("a\r\r\n\nb", "a%0D%0A%0D%0A%0D%0Ab"),
        ("100%\\é", "100%\\é"), ("", ""),
    ])
    func namesAreEscapedAndTheirLinesNormalised(name: String, escaped: String) {
        let body = text(
            of: FormLayout.segments(boundary: "B", parts: [FormPart(name: name, content: .text("v"))]).segments)
        #expect(body == "--B\r\nContent-Disposition: form-data; name=\"\(escaped)\"\r\n\r\nv\r\n--B--\r\n")
    }

    @Test(arguments: ["a\nb", "\r", "a\"b", "\n\r\n\r", ""]) func textValuesAreSentAsTheyAre(value: String) {
        let (segments, length) = FormLayout.segments(
            boundary: "B", parts: [FormPart(name: "n", content: .text(value))])
        let body = "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n\(value)\r\n--B--\r\n"
        #expect(text(of: segments) == body && length == Int64(body.utf8.count))
    }

    @Test func aTextValueMayHaveATypeAndAFileName() {
        let typed = FormPart(name: "n", content: .text("{}", contentType: "application/json"))
        let named = FormPart(name: "n", content: .text("v", fileName: "d/a\"b", contentType: "t/t"))
        #expect(
            text(of: FormLayout.segments(boundary: "B", parts: [typed, named]).segments) == """
                --B\r\nContent-Disposition: form-data; name="n"\r\nContent-Type: application/json\r\n\r\n{}\r\n\
                --B\r\nContent-Disposition: form-data; name="n"; filename="a%22b"\r\nContent-Type: t/t\r\n\r\nv\r\n--B--\r\n
                """)
    }

    @Test(arguments: [
        ("/home/me/a.txt", "a.txt"), ("", "file"), ("dir/", "file"), ("/", "file"), ("a\nb\"c", "a%0Ab%22c"),
        ("a\r", "a%0D"),
        ("a\\b", "a\\b"),
    ])
    func fileNamesAreBaseNamesAndEscapedOnly(fileName: String, sent: String) {
        let part = FormPart(name: "n", content: .file(file(1), fileName: fileName, contentType: "t/t"))
        #expect(
            text(of: FormLayout.segments(boundary: "B", parts: [part]).segments).contains("filename=\"\(sent)\"\r\n"))
    }

    @Test func unsendablePartsAreRefused() {
        let tooLong = FormPart(name: "n", content: .file(file(.max), fileName: "f", contentType: ""))
        let broken: [[FormPart]] = [
            [], [FormPart(name: "a\u{0}", content: .text(""))],
            [FormPart(name: "n", content: .file(file(1), fileName: "f\u{0}", contentType: ""))],
            [FormPart(name: "n", content: .file(file(1), fileName: "f", contentType: "a/b\r\nX: y"))],
            [FormPart(name: "n", content: .text("v", fileName: "f\u{0}"))],
            [FormPart(name: "n", content: .text("v", contentType: "a/b\r\nX: y"))],
            [FormPart(name: "n", content: .file(file(-1), fileName: "f", contentType: ""))], [tooLong, tooLong],
        ]
        for parts in broken { #expect(FormLayout.check(parts: parts)?.code == .invalidArgument) }
        #expect(FormLayout.check(parts: [FormPart(name: "", content: .text("a\u{0}"))]) == nil)
        #expect(FormLayout.segments(boundary: "B", parts: [tooLong, tooLong]).length == .max)
    }

    @Test func boundariesNeedNoQuotes() {
        let boundary = FormLayout.boundary(random: (0x0123_4567_89AB_CDEF, .max))
        #expect(boundary == "----LonghaulForm0123456789abcdefffffffffffffffff")
        #expect(FormLayout.check(boundary: boundary) == nil)
        #expect(FormLayout.contentType(boundary: boundary) == "multipart/form-data; boundary=" + boundary)
        for bad in ["", "a b", "a\r\n", "é", String(repeating: "a", count: 71)] {
            #expect(FormLayout.check(boundary: bad)?.code == .invalidArgument)
        }
    }
}
