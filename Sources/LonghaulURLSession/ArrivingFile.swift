import Foundation
import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// A download of this process: its bytes are written to the partial file as they arrive, so that none is lost with the process.
///
/// The session's queue calls it and waits for the disk, which also slows the server down.
final class ArrivingFile: Sendable {
    typealias Answer = @Sendable (URLSession.ResponseDisposition) -> Void

    fileprivate struct State {
        var head: ResponseHead?
        var file: PartialFile?
        /// The overlap that is compared before the first byte is written.
        var comparison: Comparison?
        var disposition = ExchangeOutcome.Disposition.none
        var failure: TransferFailure?
        /// The body of a refusal.
        var body: [UInt8] = []
        var isBodyTruncated = false
        /// Lets a whole new body arrive, which waits for the loop.
        var held: (bodyLength: Int64?, answer: Answer)?
        var syncedLength: Int64 = 0
        /// The number of bytes that were written to a file that is closed.
        var received: Int64 = 0
    }

    private let plan: PartialPlan
    /// How much of a refusal's body is kept.
    private let limit: Int
    private let state = Mutex(State())

    init(_ plan: PartialPlan, limit: Int) {
        self.plan = plan
        self.limit = limit
    }

    /// The number of bytes that were written.
    var received: Int64 { state.withLock { $0.file?.taken ?? $0.received } }

    /// Judges the response. Returns whether its body may arrive; `nil` if the loop decides that (`writeFromStart`).
    func receive(
        _ response: ResponseHead, answer: @escaping Answer
    ) -> (events: [EngineEvent], decision: URLSession.ResponseDisposition?) {
        state.withLock { state in
            let delivered: ResponseHead
            switch DeliveredBody(response, isProvenByDigest: plan.mirrors.isProvenByDigest) {
            case .usable(let head): delivered = head
            case .refused(let refusal):
                (state.head, state.disposition) = (response, .refused(refusal))
                return ([], .allow)
            case .failed(let failure):
                (state.head, state.failure) = (response, failure)
                return ([], .cancel)
            }
            guard let head = plan.seen(delivered) else {
                state.failure = TransferFailure(
                    .protocolViolation, "The server does not support ranges for this file. Remove the range.")
                return ([], .cancel)
            }
            state.head = head
            do throws(TransferFailure) {
                switch DownloadRule.decide(head: head, resume: plan.resume) {
                case .write(let offset, let length):
                    return (try state.open(file(plan.path, from: offset, length)), .allow)
                case .compareThenWrite(let first, let overlap, let length):
                    state.comparison = try Comparison(
                        path: plan.path, from: first, overlap: overlap, bodyLength: length, digests: [],
                        isShared: false, isLater: false)
                    return ([], .allow)
                case .holdForRestart(let length):
                    state.held = (length, answer)
                    return ([.head(head)], nil)
                case .refuse(let refusal):
                    state.disposition = .refused(refusal)
                    return ([], .allow)
                }
            } catch {
                state.failure = error
                return ([], .cancel)
            }
        }
    }

    private func file(_ path: String, from offset: Int64, _ length: Int64?) -> PartialFile {
        PartialFile(path: path, start: offset, bodyLength: length, digests: [])
    }

    /// Writes the held body from the first byte of the file, or of another file. `report` gets the events before the body arrives.
    func writeFromStart(of path: String?, reporting report: ([EngineEvent]) -> Void) {
        let (events, call) = state.withLock { state -> ([EngineEvent], (() -> Void)?) in
            guard let (length, answer) = state.held else { return ([], nil) }
            state.held = nil
            do throws(TransferFailure) {
                let events = try state.open(file(path ?? plan.path, from: 0, length))
                return (events, { answer(.allow) })
            } catch {
                state.failure = error
                return ([], { answer(.cancel) })
            }
        }
        report(events)
        call?()
    }

    /// Refuses a held body, for which the loop has no use any more.
    func abandon() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        held?.answer(.cancel)
    }

    /// Accepts the next bytes. `isOver`: no more are needed.
    func receive(_ data: Data) -> (events: [EngineEvent], isOver: Bool) {
        state.withLock { state in
            guard state.failure == nil else { return ([], true) }
            if case .refused = state.disposition {
                let room = max(0, limit - state.body.count)
                state.body += data.prefix(room)
                state.isBodyTruncated = state.isBodyTruncated || data.count > room
                return ([], state.isBodyTruncated)
            }
            do throws(TransferFailure) {
                let events = try [UInt8](data).withUnsafeBufferPointer { bytes throws(TransferFailure) in
                    try state.write(UnsafeRawBufferPointer(bytes), syncingEach: plan.checkpointInterval)
                }
                return (events, state.disposition == .overlapDiffers)
            } catch {
                state.failure = error
                return ([], true)
            }
        }
    }

    /// Returns the outcome after the task has ended. The bytes that it counts are on the disk.
    func end(
        _ error: NSError?, isCancelled: Bool, requestLeft: Bool, bytesReceived: Int64
    ) -> ExchangeOutcome {
        state.withLock { state in
            var outcome = ExchangeOutcome(
                ending: .responded, head: state.head, body: state.body, isBodyTruncated: state.isBodyTruncated,
                disposition: state.disposition, requestLeft: requestLeft, bytesReceived: bytesReceived)
            if let file = state.file { outcome.disposition = state.close(file, isClean: error == nil) }
            if let failure = state.failure {
                outcome.ending = .broke(failure)
            } else if let error, state.disposition == .none {
                outcome.ending = isCancelled ? .cancelled : .broke(ErrorReading.failure(error))
            } else if state.head == nil {
                outcome.ending = .broke(TransferFailure(.connectionLost, "The server sent no response."))
            }
            return outcome
        }
    }
}

extension ArrivingFile.State {
    /// Opens the file. The bytes after its first byte are truncated before the loop records the version of the new ones.
    fileprivate mutating func open(_ file: PartialFile) throws(TransferFailure) -> [EngineEvent] {
        // Nothing is buffered, so that no byte is lost with the process.
        file.isFollowed = true
        try file.open()
        self.file = file
        syncedLength = file.length
        return head.map { [.receiving($0)] } ?? []
    }

    fileprivate mutating func write(
        _ bytes: UnsafeRawBufferPointer, syncingEach interval: Int64
    ) throws(TransferFailure) -> [EngineEvent] {
        var events: [EngineEvent] = []
        var rest = bytes
        if let comparison {
            guard let count = comparison.compare(rest) else {
                (self.comparison, disposition) = (nil, .overlapDiffers)
                return []
            }
            guard comparison.isComplete else { return [] }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            self.comparison = nil
            events = try open(comparison.file())
        }
        guard let file, !rest.isEmpty else { return events }
        _ = try file.append(rest)
        guard file.length - syncedLength >= interval else { return events }
        try sync(file)
        return events + [.checkpoint(file.length)]
    }

    private mutating func sync(_ file: PartialFile) throws(TransferFailure) {
        try receiving(file.path) { () throws(SystemError) in
            try file.target.descriptor?.sync()
            try Directory.sync(Directory.of(file.path))
        }
        syncedLength = file.length
    }

    fileprivate mutating func close(_ file: PartialFile, isClean: Bool) -> ExchangeOutcome.Disposition {
        self.file = nil
        received = file.taken
        do throws(TransferFailure) {
            try sync(file)
        } catch {
            // No later sync reports the loss again (fsync(2)).
            failure = failure ?? error
            return .written(length: syncedLength, isComplete: false)
        }
        let isWhole = isClean && failure == nil && (file.missing ?? 0) == 0
        if isClean, failure == nil, !isWhole {
            failure = TransferFailure(
                .lengthMismatch,
                "The server sent fewer bytes than it announced. If that happens again, report it to its operator.")
        }
        return .written(length: file.length, isComplete: isWhole)
    }
}
