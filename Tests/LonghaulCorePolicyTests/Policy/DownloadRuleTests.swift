import LonghaulCore
import Testing

@Suite struct DownloadRuleTests {
    /// A part has the tag of `point`, unless it has another.
    private func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> ResponseHead {
        var headers = fields.map { HeaderField($0, $1) }
        if status == 206, headers.all("ETag").isEmpty { headers.append(HeaderField("ETag", "\"a\"")) }
        return ResponseHead(status: status, headers: headers, effectiveURL: "https://h/f")
    }

    private func point(
        length: Int64 = 100, overlap: Int64 = 0, tag: String? = "\"a\"", modified: String? = nil, total: Int64? = 200
    ) -> ResumePoint {
        let validators = Validators(entityTag: tag, lastModified: modified, isSoft: false, total: total)
        return ResumePoint(length: length, overlap: overlap, validators: validators)
    }

    private func isUnusable(_ verdict: DownloadVerdict) -> Bool {
        if case .refuse(.rangeUnusable(let reason)) = verdict { return !reason.isEmpty }
        return false
    }

    @Test(arguments: [200, 203])
    func aWholeBodyIsWrittenFromTheStart(status: Int) {
        let whole = head(status, ["Content-Length": "200"])
        #expect(DownloadRule.decide(head: whole, resume: nil) == .write(at: 0, bodyLength: 200))
        #expect(DownloadRule.decide(head: whole, resume: point()) == .holdForRestart(bodyLength: 200))
    }

    @Test(
        arguments: [
            ["Content-Length": "x"], [:], ["Content-Length": "5", "content-length": "6"], ["Content-Length": "5, 6"],
            ["Content-Length": "5", "Transfer-Encoding": "chunked"], ["Content-Length": "-5"],
        ] as [KeyValuePairs<String, String>])
    func aLengthThatIsNotClearlyAnnouncedIsUnknown(fields: KeyValuePairs<String, String>) {
        #expect(DownloadRule.decide(head: head(200, fields), resume: nil) == .write(at: 0, bodyLength: nil))
    }

    @Test(
        arguments: [["Content-Length": "5, 5"], ["Content-Length": "5", "content-length": "005 ,5"]]
            as [KeyValuePairs<String, String>])
    func aLengthThatIsAnnouncedTwiceAlikeIsALength(fields: KeyValuePairs<String, String>) {
        #expect(DownloadRule.decide(head: head(200, fields), resume: nil) == .write(at: 0, bodyLength: 5))
    }

    @Test(
        arguments: [
            ["Content-Range": "bytes 100-199/200", "ETag": "\"a\"", "etag": "\"b\""],
            [
                "Content-Range": "bytes 100-199/200", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "last-modified": "Sun, 06 Nov 1994 08:49:38 GMT",
            ],
        ] as [KeyValuePairs<String, String>])
    func anAnswerThatNamesTwoVersionsIsOfNeither(fields: KeyValuePairs<String, String>) {
        #expect(DownloadRule.decide(head: head(206, fields), resume: point()) == .refuse(.changed))
    }

    @Test func unrequestedPartialResponseIsUnusable() {
        #expect(isUnusable(DownloadRule.decide(head: head(206, ["Content-Range": "bytes 0-9/10"]), resume: nil)))
    }

    @Test(
        arguments: [
            ["Content-Range": "bytes 100-199/200"], ["Content-Range": "bytes 100-199/*"],
            [
                "Content-Range": "bytes 100-199/200", "Content-Length": "100", "ETag": "\"a\"",
                "Content-Type": "text/plain",
            ],
            ["Content-Range": "bytes 100-199/200", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
        ] as [KeyValuePairs<String, String>])
    func theRestIsWrittenWhereItBelongs(fields: KeyValuePairs<String, String>) {
        #expect(DownloadRule.decide(head: head(206, fields), resume: point()) == .write(at: 100, bodyLength: 100))
    }

    @Test func anOverlapIsComparedFirst() {
        let part = head(206, ["Content-Range": "bytes 90-199/200"])
        let verdict = DownloadVerdict.compareThenWrite(from: 90, overlap: 10, bodyLength: 110)
        #expect(DownloadRule.decide(head: part, resume: point(overlap: 10)) == verdict)
        #expect(DownloadRule.decide(head: part, resume: point(overlap: 10, total: nil)) == verdict)
    }

    @Test func shorterPartThanRequestedIsAccepted() {
        let part = head(206, ["Content-Range": "bytes 100-100/200"])
        #expect(DownloadRule.decide(head: part, resume: point()) == .write(at: 100, bodyLength: 1))
    }

    @Test func theOverlapAloneProvesThatNothingIsMissing() {
        let part = head(206, ["Content-Range": "bytes 90-99/100"])
        let verdict = DownloadVerdict.compareThenWrite(from: 90, overlap: 10, bodyLength: 10)
        #expect(DownloadRule.decide(head: part, resume: point(overlap: 10, total: nil)) == verdict)
    }

    @Test(
        arguments: [
            [:], ["Content-Range": "bytes */200"], ["Content-Range": "bytes 100-199"],
            ["Content-Range": "bytes 99-199/200"],
            ["Content-Range": "bytes 101-199/200"], ["Content-Range": "bytes 0-199/200"],
            ["Content-Range": "bytes 100-199/200", "content-range": "bytes 0-1/200"],
            ["Content-Range": "bytes 100-199/200", "Content-Length": "99"],
            ["Content-Range": "bytes 100-199/200", "Content-Type": "Multipart/Byteranges; boundary=x"],
            ["Content-Range": "bytes 100-200/*"],
        ] as [KeyValuePairs<String, String>])
    func aPartThatIsNotExactlyTheRestIsUnusable(fields: KeyValuePairs<String, String>) {
        #expect(isUnusable(DownloadRule.decide(head: head(206, fields), resume: point())))
    }

    @Test(arguments: ["bytes 90-95/200", "bytes 90-99/200", "bytes 90-99/*"])
    func aPartWithoutANewByteIsUnusable(range: String) {
        #expect(isUnusable(DownloadRule.decide(head: head(206, ["Content-Range": range]), resume: point(overlap: 10))))
    }

    @Test(
        arguments: [
            ["Content-Range": "bytes 100-199/201"], ["Content-Range": "bytes 100-199/200", "ETag": "\"b\""],
            ["Content-Range": "bytes 100-199/200", "ETag": "W/\"a\""],
        ] as [KeyValuePairs<String, String>])
    func aPartOfAnotherVersionIsRefused(fields: KeyValuePairs<String, String>) {
        #expect(DownloadRule.decide(head: head(206, fields), resume: point()) == .refuse(.changed))
    }

    @Test func partThatRepeatsNoValidatorIsRefused() {
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        func decide(_ fields: [HeaderField], _ resume: ResumePoint) -> DownloadVerdict {
            let range = HeaderField("Content-Range", "bytes 100-199/200")
            let head = ResponseHead(status: 206, headers: [range] + fields, effectiveURL: "https://h/f")
            return DownloadRule.decide(head: head, resume: resume)
        }
        #expect(isUnusable(decide([], point())) && isUnusable(decide([], point(modified: modified))))
        let written = DownloadVerdict.write(at: 100, bodyLength: 100)
        #expect(decide([HeaderField("Last-Modified", modified)], point(modified: modified)) == written)
        // The response to If-Range may omit the date, and without a settled tag a digest decides.
        #expect(decide([], point(tag: nil, modified: modified)) == written)
        #expect(decide([], point(tag: "W/\"a\"")) == written)
    }

    @Test func aFileThatBecameShorterHasChanged() {
        let part = head(206, ["Content-Range": "bytes 90-95/96"])
        #expect(DownloadRule.decide(head: part, resume: point(overlap: 10, total: nil)) == .refuse(.changed))
    }

    @Test func aDateCountsWhereNoTagCanBeCompared() {
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        let later = "Sun, 06 Nov 1994 08:49:38 GMT"
        let part = head(206, ["Content-Range": "bytes 100-199/200", "Last-Modified": later])
        let resume = point(tag: nil, modified: modified)
        #expect(DownloadRule.decide(head: part, resume: resume) == .refuse(.changed))
        let tagged = head(206, ["Content-Range": "bytes 100-199/200", "Last-Modified": later, "ETag": "\"a\""])
        #expect(
            DownloadRule.decide(head: tagged, resume: point(modified: modified)) == .write(at: 100, bodyLength: 100))
    }

    @Test func a412MeansAnotherVersionOnlyForOurOwnCondition() {
        #expect(DownloadRule.decide(head: head(412), resume: point()) == .refuse(.changed))
        #expect(DownloadRule.decide(head: head(412), resume: nil) == .refuse(.status))
    }

    @Test(
        arguments: [
            ("bytes */200", 200, 200, .alreadyComplete), ("bytes */200", 200, nil, .alreadyComplete),
            ("bytes */200", 200, 300, .changed), ("bytes */199", 200, nil, .changed),
            ("bytes */300", 200, 300, .changed),
            ("bytes 0-1/2", 200, 200, .lengthUnknown), ("", 200, 200, .lengthUnknown),
            ("bytes */*", 200, 200, .lengthUnknown),
        ] as [(String, Int64, Int64?, DownloadVerdict.Refusal)])
    func status416DistinguishesCompleteChangedAndUnknownFile(
        range: String, length: Int64, total: Int64?, refusal: DownloadVerdict.Refusal
    ) {
        let verdict = DownloadRule.decide(
            head: head(416, ["Content-Range": range]), resume: point(length: length, total: total))
        #expect(verdict == .refuse(refusal))
    }

    @Test func a416OfAnotherVersionCompletesNothing() {
        let refused = head(416, ["Content-Range": "bytes */200", "ETag": "\"b\""])
        #expect(DownloadRule.decide(head: refused, resume: point(length: 200)) == .refuse(.changed))
    }

    @Test(arguments: [201, 204, 205, 304, 401, 403, 404, 429, 500, 503])
    func otherStatusesAreNotAboutRanges(status: Int) {
        #expect(DownloadRule.decide(head: head(status), resume: nil) == .refuse(.status))
        #expect(DownloadRule.decide(head: head(status), resume: point()) == .refuse(.status))
    }

    @Test func a416WithoutARangeIsAnOrdinaryStatus() {
        #expect(DownloadRule.decide(head: head(416), resume: nil) == .refuse(.status))
    }

    /// The first response was created when its validators did not distinguish versions yet.
    @Test(
        arguments: [
            ("\"a\"", 0, 2, true), ("\"a\"", 0, 1, false), ("\"a\"", 1, 4, false), ("\"a\"", nil, 4, false),
        ] as [(String, Int64?, Int64, Bool)])
    func partMustRepeatSettledValidators(tag: String, modified: Int64?, replied: Int64, isUsed: Bool) {
        func date(_ seconds: Int64) -> String { HTTPDate.format(WallTime(seconds: 1_700_000_000 + seconds)) }
        var resume = point(overlap: 10, tag: "\"a\"", modified: date(0))
        resume.mustBeSettled = true
        var part = head(206, ["ETag": tag, "Date": date(replied), "Content-Range": "bytes 90-199/200"])
        if let modified { part.headers.append(HeaderField("Last-Modified", date(modified))) }
        let verdict = DownloadRule.decide(head: part, resume: resume)
        #expect(isUsed ? verdict == .compareThenWrite(from: 90, overlap: 10, bodyLength: 110) : isUnusable(verdict))
    }
}
