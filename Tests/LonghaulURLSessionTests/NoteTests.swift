import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulURLSession

/// The records of exchanges, and the meaning of the system's errors.
@Suite struct NoteTests {
    private static let plan = ExchangePlan(
        method: "POST", url: "http://server.example/?key=1",
        headers: [HeaderField("Host", "other"), HeaderField("X-A", "1"), HeaderField("X-A", "2")],
        body: BodyPlan(segments: [], length: 7, holdsLastBytes: true), sink: .memory(limit: 3),
        network: CopyOnWrite(NetworkOptions()), followsOnlyRepeatingRedirects: true)

    private static let head = ResponseHead(
        status: 206, headers: [HeaderField("ETag", "\"1\"")], effectiveURL: "http://server.example/")

    private static let outcomes: [ExchangeOutcome] = {
        let failure = TransferFailure(.connectionLost, "It broke.", origin: .system(-1005))
        let dispositions: [ExchangeOutcome.Disposition] = [
            .none, .written(length: 0, isComplete: true), .written(length: 9, isComplete: false), .overlapDiffers,
            .refused(.alreadyComplete), .refused(.changed), .refused(.lengthUnknown), .refused(.status),
            .refused(.rangeUnusable("why")), .refused(.unproved(.differs)),
        ]
        return dispositions.flatMap { disposition in
            [.responded, .cancelled, .broke(failure)].map { ending in
                ExchangeOutcome(
                    ending: ending, head: head, body: [1, 2], isBodyTruncated: true, disposition: disposition,
                    requestLeft: true, bytesSent: 7, bytesReceived: 2, mayHaveArrived: true)
            }
        }
    }()

    @Test func aNoteIsReadAgain() throws {
        var note = ExchangeNote(Self.plan)
        #expect(note.isOnceOnly && note.bodyLength == 7 && note.responseLimit == 3)
        let validators = Validators(entityTag: "\"1\"", lastModified: nil, isSoft: false, total: 10)
        for outcome in [nil] + Self.outcomes.map(Optional.some) {
            note.outcome = outcome
            note.outcome?.lossReason = .userForceQuit
            note.head = outcome?.head
            note.partialPath = outcome == nil ? nil : "/out/.part"
            note.resume = outcome == nil ? nil : ResumePoint(length: 5, overlap: 2, validators: validators)
            note.usesResumeData = outcome != nil
            note.isProvenByDigest = outcome != nil
            note.resume?.age = FileAge(begunAt: nil, modifiedAt: WallTime(seconds: 7))
            #expect(try ExchangeNote.decoded(wireBytes: note.wireBytes) == note)
        }
        let bytes = note.wireBytes
        // A note truncated by a power failure is refused or read, and never traps.
        for count in bytes.indices { _ = try? ExchangeNote.decoded(wireBytes: Array(bytes[..<count])) }
    }

    @Test func notesAndTokensAreKeptUntilTheyAreNotNeeded() throws {
        let temporary = try TemporaryDirectory()
        let notes = try ExchangeNotes(temporary.path("exchanges"))
        let id = ExchangeID(transfer: TransferID(high: 1, low: 2), attempt: 3)
        try notes.write(ExchangeNote(Self.plan), of: id)
        #expect(notes.ids == [id] && notes.read(of: id) == ExchangeNote(Self.plan))
        notes.remove(id)
        #expect(notes.ids.isEmpty && notes.read(of: id) == nil)

        notes.keep(token: Data("token".utf8), url: "http://a.test/", of: id.transfer)
        #expect(notes.takeToken(of: id.transfer, url: "http://a.test/") == Data("token".utf8))
        #expect(notes.takeToken(of: id.transfer, url: "http://a.test/") == nil)
        notes.keep(token: Data("token".utf8), url: "http://a.test/", of: id.transfer)
        #expect(notes.takeToken(of: id.transfer, url: "http://other.test/") == nil)
        notes.keep(token: Data("token".utf8), url: "http://a.test/", of: id.transfer)
        notes.discardTokens(ofPartials: ["/out/" + PartialName.make(id.transfer)])
        #expect(notes.takeToken(of: id.transfer, url: "http://a.test/") == nil)
    }

    @Test func systemCancellationReasonIsReported() {
        for (number, reason) in [(0, OwnerLossReason.userForceQuit), (1, .backgroundUpdatesDisabled), (9, .unknown)] {
            let error = NSError(
                domain: NSURLErrorDomain, code: URLError.Code.cancelled.rawValue,
                userInfo: [NSURLErrorBackgroundTaskCancelledReasonKey: NSNumber(value: number)])
            #expect(ErrorReading.reason(error) == reason && ErrorReading.failure(error).code == .connectionLost)
        }
        #expect(ErrorReading.reason(NSError(domain: NSURLErrorDomain, code: -999)) == nil)
    }

    @Test func aRequestHasOurFieldsAndAKeyAgainstTheSystemsRepeats() throws {
        let id = TransferID(high: 1, low: 2)
        let request = try RequestBuilder.request(Self.plan, of: id)
        #expect(request.httpMethod == "POST" && request.value(forHTTPHeaderField: "Host") == nil)
        #expect(request.value(forHTTPHeaderField: "X-A") == "1,2")
        #expect(request.value(forHTTPHeaderField: "Idempotency-Key") == "\"\(id)\"")
        var plan = Self.plan
        plan.headers.append(.omitting("Accept"))
        #expect(try RequestBuilder.request(plan, of: id).value(forHTTPHeaderField: "Accept") == nil)
        plan.headers.append(HeaderField("Idempotency-Key", "\"mine\""))
        #expect(try RequestBuilder.request(plan, of: id).value(forHTTPHeaderField: "Idempotency-Key") == "\"mine\"")
        plan = Self.plan
        plan.method = "PUT"
        plan.body?.holdsLastBytes = false
        #expect(try RequestBuilder.request(plan, of: id).value(forHTTPHeaderField: "Idempotency-Key") == nil)
    }
}
