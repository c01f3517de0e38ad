import LonghaulCore
import Testing

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        // RFC 6266, section 5.
        ("Attachment; filename=example.html", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        // RFC 8187, section 3.2.3.
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename*=UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "£ and € rates"),
    ])
    func theExamplesOfTheSpecificationsAreRead(value: String, name: String) {
        #expect(ContentDisposition.fileName(value) == name)
    }

    @Test(arguments: [
        ("attachment; filename=\"a;b.txt\"", "a;b.txt"), ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"a\\\\b.txt\"", "a\\b.txt"), ("attachment;filename=a.txt;", "a.txt"),
        ("attachment ;; filename = a.txt ; size=3", "a.txt"), ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
        ("attachment; filename=\"=?UTF-8?B?YQ==?=\"", "=?UTF-8?B?YQ==?="),
        ("attachment; filename=naïve.txt", "naïve.txt"),
        ("attachment; filename=\"naïve plan.txt\"", "naïve plan.txt"), ("form-data; name=x; filename=a", "a"),
        ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"),
        ("attachment; filename*=UTF-8''a.txt; filename=b.txt", "a.txt"),
    ])
    func realFieldsAreRead(value: String, name: String) {
        #expect(ContentDisposition.fileName(value) == name)
    }

    @Test(arguments: [
        "%zz", "%e", "%", "%ff%fe", "%c3", "plain'x",
    ])
    func aBrokenExtendedNameGivesWayToThePlainOne(encoded: String) {
        #expect(ContentDisposition.fileName("attachment; filename*=UTF-8''\(encoded); filename=b.txt") == "b.txt")
    }

    @Test(arguments: ["windows-1252''a.txt", "a.txt", "UTF-8'a.txt", "''a.txt", "\"UTF-8''a.txt\"", "UTF-8''"])
    func anotherShapeOfExtendedNameGivesWayToThePlainOne(extended: String) {
        #expect(ContentDisposition.fileName("attachment; filename*=\(extended); filename=b.txt") == "b.txt")
    }

    @Test(arguments: [
        "", "attachment", "inline", "attachment; size=3", "attachment; filename=", "attachment; filename=\"\"",
        "attachment; filename=a b.txt", "attachment; filename=\"a", "attachment; filename=a.txt; filename=b.txt",
        "attachment; filename=a.txt; FILENAME=b.txt", "attachment; x=1; x=2; filename=a.txt", "filename=a.txt",
        "attachment, filename=a.txt", "attachment; filename", "attachment; =a.txt", "; filename=a.txt",
        "attachment; filename*0=\"a\"; filename*1=\"b\"", "attachment; filename=\"a\"b", "\"attachment\"; filename=a",
        "attachment; filename=\"a\\",
    ])
    func brokenOrNamelessFieldsGiveNoName(value: String) {
        #expect(ContentDisposition.fileName(value) == nil)
    }
}
