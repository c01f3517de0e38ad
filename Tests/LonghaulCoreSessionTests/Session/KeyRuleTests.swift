import Testing

@testable import LonghaulCore

@Suite struct KeyRuleTests {
    private static func spec(
        _ conflict: TransferOptions.KeyConflict, after predecessor: TransferID? = nil
    ) -> TransferSpec {
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://a.test/")
        spec.options = options(conflict, predecessor)
        return spec
    }

    private static func options(
        _ conflict: TransferOptions.KeyConflict, _ predecessor: TransferID? = nil
    ) -> TransferOptions {
        var options = TransferOptions()
        options.key = "k"
        options.keyConflict = conflict
        options.predecessor = predecessor
        return options
    }

    private static let live = SessionFixture.record(1, SessionFixture.turn)
    private static let ended = SessionFixture.record(2, .succeeded)
    private static var leaving: TransferRecord {
        var record = ended
        record.facts.cleanup = [.record]
        return record
    }

    @Test func keepPolicyJoinsExistingTransfer() {
        #expect(KeyRule.decide(Self.spec(.keep), holder: Self.live) == .joins)
        #expect(KeyRule.decide(Self.spec(.keep), holder: Self.ended) == .joins)
        #expect(KeyRule.decide(Self.spec(.keep), holder: Self.leaving) == .takes(after: nil))
    }

    private static func over(_ state: TransferState, _ work: TransferSpec.Work = .request(body: [])) -> TransferRecord {
        var record = SessionFixture.record(3, state)
        record.spec.work = work
        record.facts.endedAt = SessionFixture.start
        return record
    }

    private static let failed = TransferState.failed(TransferFailure(.notFound, "The file does not exist."))

    private static func source(size: Int64 = 5, isStaged: Bool = false) -> TransferSpec.Work {
        .upload(.raw(file(size: size, isStaged: isStaged)))
    }

    private static func file(size: Int64 = 5, isStaged: Bool = false) -> SourceFile {
        SourceFile(
            path: isStaged ? "/staged/\(size)" : "/a", pin: SourcePin(size: size, modified: 1, inode: 2, device: 3),
            isStaged: isStaged)
    }

    /// A form with a copied file and another one.
    private static func form(copy: Int64, other: Int64) -> TransferSpec.Work {
        let parts = [file(size: copy, isStaged: true), file(size: other)].map { file in
            FormPart(name: "f", content: .file(file, fileName: "a", contentType: "a/b"))
        }
        return .upload(.form(boundary: "b", parts: parts))
    }

    @Test func keepRestartsWhatFailedOrWasCancelled() {
        for state in [Self.failed, .cancelled] {
            #expect(KeyRule.decide(Self.spec(.keep), holder: Self.over(state)) == .restarts)
            #expect(KeyRule.decide(Self.spec(.append), holder: Self.over(state)) == .shares)
            #expect(KeyRule.decide(Self.spec(.replace), holder: Self.over(state)) == .takes(after: nil))
            var tidying = Self.over(state)
            tidying.facts.cleanup = [.partialFile]
            #expect(KeyRule.decide(Self.spec(.keep), holder: tidying) == .takes(after: .remove))
            let follower = Self.spec(.keep, after: Self.live.id)
            #expect(KeyRule.decide(follower, holder: Self.over(state)) == .takes(after: .remove))
        }
    }

    @Test func keepRepeatsNoRequestThatMayHaveBeenDone() {
        let unknown = Self.over(.failed(TransferFailure(.outcomeUnknown, "No answer came.")))
        #expect(KeyRule.decide(Self.spec(.keep), holder: unknown) == .joins)
    }

    @Test func changedFileNeedsNewTransfer() {
        var spec = Self.spec(.keep)
        spec.work = Self.source()
        #expect(KeyRule.decide(spec, holder: Self.over(Self.failed, Self.source())) == .restarts)
        let changed = Self.over(Self.failed, Self.source(size: 6))
        #expect(KeyRule.decide(spec, holder: changed) == .takes(after: .remove))
        spec.work = .upload(.raw(SourceFile(path: "/staged/b", pin: Self.file().pin, isStaged: true)))
        let staged = Self.over(Self.failed, Self.source(isStaged: true))
        #expect(KeyRule.decide(spec, holder: staged) == .restarts)
        spec.work = Self.source(size: 7, isStaged: true)
        #expect(KeyRule.decide(spec, holder: staged) == .takes(after: .remove))
        let deleted = Self.over(.cancelled, Self.source(isStaged: true))
        #expect(KeyRule.decide(spec, holder: deleted) == .takes(after: .remove))
    }

    @Test func formWithACopyRestartsIfItsOtherFileIsUnchanged() {
        var spec = Self.spec(.keep)
        spec.work = Self.form(copy: 1, other: 2)
        #expect(KeyRule.decide(spec, holder: Self.over(Self.failed, Self.form(copy: 1, other: 2))) == .restarts)
        let changed = Self.over(Self.failed, Self.form(copy: 1, other: 3))
        #expect(KeyRule.decide(spec, holder: changed) == .takes(after: .remove))
        let deleted = Self.over(.cancelled, Self.form(copy: 1, other: 2))
        #expect(KeyRule.decide(spec, holder: deleted) == .takes(after: .remove))
    }

    @Test func repeatedMessageRestartsNothingThatCameOfIt() {
        var spec = Self.spec(.keep)
        spec.options.restartsEndedBefore = SessionFixture.start
        #expect(KeyRule.decide(spec, holder: Self.over(Self.failed)) == .joins)
        spec.options.restartsEndedBefore = SessionFixture.start + .seconds(1)
        #expect(KeyRule.decide(spec, holder: Self.over(Self.failed)) == .restarts)
    }

    @Test func replacePolicyCancelsLiveTransfer() {
        #expect(KeyRule.decide(Self.spec(.replace), holder: Self.live) == .takes(after: .cancel))
        #expect(KeyRule.decide(Self.spec(.replace), holder: Self.ended) == .takes(after: nil))
        let verdict = KeyRule.decide(Self.spec(.replace, after: Self.live.id), holder: Self.live)
        guard case .refuses(let failure) = verdict else { return #expect(Bool(false)) }
        #expect(failure.code == .keyTaken, "it would wait for what it has cancelled")
    }

    @Test func appendPolicySharesKey() {
        for holder in [Self.live, Self.ended, Self.leaving] {
            #expect(KeyRule.decide(Self.spec(.append), holder: holder) == .shares)
        }
    }

    @Test func aFollowerThatIsSubmittedAgainIsFoundByItsKey() {
        let follower = Self.spec(.keep, after: Self.ended.id)
        #expect(KeyRule.wasAccepted(follower, holder: Self.live))
        #expect(!KeyRule.wasAccepted(follower, holder: Self.leaving))
        #expect(!KeyRule.wasAccepted(Self.spec(.keep), holder: Self.live))
        #expect(!KeyRule.wasAccepted(Self.spec(.replace, after: Self.ended.id), holder: Self.live))
        var other = follower
        other.url = "http://b.test/"
        #expect(!KeyRule.wasAccepted(other, holder: Self.live))
    }

    private static func download(_ directory: String = "/d", _ name: String? = "f") -> TransferSpec.Work {
        .download(DownloadSpec(directory: directory, fileName: name))
    }

    private static let other: [(difference: String, own: TransferSpec.Work, other: TransferSpec.Work)] = {
        var part = DownloadSpec(directory: "/d", fileName: "f")
        part.range = FilePart(first: 5, last: nil)
        let tus = { (name: String) in
            TransferSpec.Work.upload(.tus(file(), metadata: [MetadataPair(key: "filename", value: name)]))
        }
        let text = { (text: String) in
            TransferSpec.Work.upload(.form(boundary: "b", parts: [FormPart(name: "a", content: .text(text))]))
        }
        return [
            ("type of transfer", .request(body: []), download()), ("type of transfer", source(), tus("a")),
            ("body", .request(body: [1]), .request(body: [2])), ("directory", download(), download("/e")),
            ("file name", download(), download("/d", "g")), ("file name", download(), download("/d", nil)),
            ("range", .download(part), download()), ("body", tus("a"), tus("b")), ("body", text("a"), text("b")),
            ("body", form(copy: 1, other: 2), text("a")),
            ("version of its file", source(), source(size: 6)),
            ("version of its file", form(copy: 1, other: 2), form(copy: 2, other: 2)),
        ]
    }()

    @Test(arguments: [live.state, .succeeded]) func differentRequestIsRefused(_ state: TransferState) throws {
        func difference(_ spec: TransferSpec, _ holder: TransferRecord) -> String? {
            guard case .refuses(let failure) = KeyRule.decide(spec, holder: holder) else { return nil }
            #expect(failure.code == .keyTaken && failure.message.contains("\(holder.id)"))
            return failure.message.firstRange(of: "differs in the ").map {
                String(failure.message[$0.upperBound...].prefix { $0 != "." })
            }
        }
        for (words, own, other) in Self.other {
            var spec = Self.spec(.keep)
            spec.work = own
            #expect(KeyRule.decide(spec, holder: Self.over(state, own)) == .joins)
            #expect(difference(spec, Self.over(state, other)) == words)
            for conflict in [TransferOptions.KeyConflict.replace, .append] {
                spec.options.keyConflict = conflict
                #expect(difference(spec, Self.over(state, other)) == nil, "\(conflict)")
            }
        }
        var spec = Self.spec(.keep)
        spec.method = "POST"
        #expect(difference(spec, Self.over(state)) == "method")
        spec = Self.spec(.keep)
        spec.url += "?signature=2"
        #expect(difference(spec, Self.over(state)) == "URL")
        spec.url = "http://a.test/"
        spec.headers = [HeaderField("Authorization", "Bearer 2")]
        #expect(KeyRule.decide(spec, holder: Self.over(state)) == .joins, "a token may be renewed")
    }

    @Test func failedTransferWithAnotherURLKeepsItsKey() {
        var spec = Self.spec(.keep)
        spec.url = "http://b.test/"
        guard case .refuses = KeyRule.decide(spec, holder: Self.over(Self.failed)) else {
            return #expect(Bool(false), "the failed transfer would be restarted with its own URL")
        }
    }

    private func change(_ holder: inout TransferRecord, to spec: TransferSpec) {
        holder.facts.changes.recordChange(holder.spec, replacedBy: spec)
        holder.spec = spec
    }

    @Test func changedTransferIsJoinedAsSubmittedAndAsChanged() {
        var holder = Self.over(Self.live.state, Self.download())
        let submitted = holder.spec
        var changed = submitted
        changed.url = "http://a.test/?signature=2"
        changed.download?.directory = "/e"
        change(&holder, to: changed)
        var other = changed
        other.url = "http://a.test/?signature=3"
        change(&holder, to: other)
        for (url, directory, joins) in [
            (submitted.url, "/d", true), (other.url, "/e", true), (changed.url, "/e", false), (other.url, "/f", false),
        ] {
            var spec = Self.spec(.keep)
            spec.work = Self.download(directory)
            spec.url = url
            #expect((KeyRule.decide(spec, holder: holder) == .joins) == joins, "\(url) \(directory)")
        }
    }
}
