import LonghaulCore
import TestSupport
import Testing

/// A form as another program reads it: Python's own MIME parser.
@Suite(.tags(.libcurl), .onEachTransport) struct FormTests {
    private let product: Product
    private let receiver: FormReceiver

    init() throws {
        product = try Product()
        receiver = try FormReceiver()
    }

    @Test func fieldsAndFilesArriveByteForByte() async throws {
        let photo = contentBytes(seed: 1, length: 300_001)
        let awkward = Array("--\r\n--longhaul\r\n\r\nContent-Type: x\r\n\r\n--".utf8)
        try product.home.write(photo, to: "work/photo.jpg")
        try product.home.write(awkward, to: "work/awkward")
        try product.home.write([], to: "work/empty")
        try await product.succeed(
            "upload", "-F", "title=Holiday", "-F", "photo=@photo.jpg;type=image/jpeg;filename=b.jpg",
            "-F", "again=@awkward", "--form-string", "raw=@not;a=file", "-F", "nothing=@empty", "-F", "title=",
            receiver.url)
        let form = try await receiver.form()
        #expect(form.parts.map(\.name) == ["title", "photo", "again", "raw", "nothing", "title"])
        #expect(form.parts.map(\.fileName) == [nil, "b.jpg", "awkward", nil, "empty", nil])
        #expect(form.parts[1].type == "image/jpeg")
        let bodies = [Array("Holiday".utf8), photo, awkward, Array("@not;a=file".utf8), [], []]
        #expect(form.parts.map(\.body) == bodies)
        #expect(form.announcedLength == form.receivedLength)
    }

    /// Names are written as browsers write them: quotes and line breaks in percent form, the rest as UTF-8.
    @Test func namesWithQuotesLineBreaksAndLettersOfAnyAlphabetArrive() async throws {
        try product.home.write([1], to: "work/naïve \"ä\" 写真.bin")
        try await product.succeed(
            "upload", "-F", "a\"b\nc=1", "--form-string", "größe=ü=ö\n", "-F", "f=@naïve \"ä\" 写真.bin", receiver.url)
        let form = try await receiver.form()
        #expect(form.parts.map(\.name) == ["a%22b%0D%0Ac", "größe", "f"])
        #expect(form.parts[1].body == Array("ü=ö\n".utf8))
        #expect(form.parts[2].fileName == "naïve %22ä%22 写真.bin")
        #expect(form.announcedLength == form.receivedLength)
    }
}
