import Foundation
import LonghaulCore
import LonghaulSystem

/// A downloaded file that the system has delivered, and how it is merged into the partial file. Repeating the merge is harmless.
enum ArrivedFile {
    enum Verdict {
        /// The exchange ended. The bytes that it wrote are on the disk.
        case ended(ExchangeOutcome)
        /// The server sent a whole new body instead of a part. The body waits until the loop has recorded that the
        /// present bytes are invalid.
        case waits(ResponseHead)
    }

    private static let portion = 1 << 20

    /// `mayRestart`: the loop has recorded that the present bytes are invalid.
    static func evaluate(_ path: String, _ note: ExchangeNote, mayRestart: Bool) -> Verdict {
        guard let head = note.head, let partialPath = note.partialPath else { return inMemory(path, note) }
        // A process that died may have reached this point.
        let hasMoved = note.resume == nil && !Files.isThere(path) && Files.isThere(partialPath)
        let length = (try? FileStatus(of: hasMoved ? partialPath : path).size) ?? 0
        var outcome = ExchangeOutcome(ending: .responded, head: head, bytesReceived: length)
        let told: ResponseHead
        switch DeliveredBody(head, isProvenByDigest: note.isProvenByDigest) {
        case .usable(let head): told = asked(head, note, length)
        case .refused(let refusal):
            outcome.disposition = .refused(refusal)
            return .ended(outcome)
        case .failed(let failure):
            outcome.ending = .broke(failure)
            return .ended(outcome)
        }
        outcome.head = told
        let resume = mayRestart ? nil : note.resume
        do {
            switch DownloadRule.decide(head: told, resume: resume) {
            case .write(0, let bodyLength):
                if !hasMoved { try move(path, to: partialPath) }
                outcome.disposition = try written(partialPath, bodyLength == nil || bodyLength == length)
            case .write(let offset, let bodyLength):
                try append(path, from: 0, to: partialPath, at: offset)
                outcome.disposition = try written(partialPath, bodyLength == nil || bodyLength == length)
            case .compareThenWrite(let first, let overlap, let bodyLength):
                guard try agrees(path, partialPath, at: first, count: overlap) else {
                    outcome.disposition = .overlapDiffers
                    break
                }
                try append(path, from: overlap, to: partialPath, at: first + overlap)
                outcome.disposition = try written(partialPath, bodyLength == nil || bodyLength == length)
            case .holdForRestart: return .waits(told)
            case .refuse(let refusal):
                outcome.disposition = .refused(refusal)
                (outcome.body, outcome.isBodyTruncated) = beginning(path, limit: note.responseLimit)
            }
        } catch {
            outcome.ending = .broke(ErrorReading.fileFailure("Could not write \(partialPath)", error))
        }
        return .ended(outcome)
    }

    /// A range that we did not request is the system's: it has assembled the whole file.
    private static func asked(_ head: ResponseHead, _ note: ExchangeNote, _ length: Int64) -> ResponseHead {
        guard head.status == 206, note.resume == nil, ValidatorReading.total(of: head) == length
        else { return head }
        var whole = head
        whole.status = 200
        whole.headers.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        whole.headers.append(HeaderField("Content-Length", "\(length)"))
        return whole
    }

    /// The response to a request without a body also arrives as a file.
    private static func inMemory(_ path: String, _ note: ExchangeNote) -> Verdict {
        var outcome = ExchangeOutcome(ending: .responded, head: note.head)
        (outcome.body, outcome.isBodyTruncated) = beginning(path, limit: note.responseLimit)
        outcome.bytesReceived = (try? FileStatus(of: path).size) ?? 0
        return .ended(outcome)
    }

    private static func beginning(_ path: String, limit: Int) -> ([UInt8], Bool) {
        guard let file = FileHandle(forReadingAtPath: path) else { return ([], false) }
        defer { try? file.close() }
        let bytes = (try? file.read(upToCount: limit + 1)) ?? Data()
        return ([UInt8](bytes.prefix(limit)), bytes.count > limit)
    }

    private static func written(
        _ path: String, _ isComplete: Bool
    ) throws -> ExchangeOutcome.Disposition {
        // `FileHandle.synchronize` leaves the bytes in the drive's memory.
        try Descriptor(opening: path, .both).sync()
        try Directory.sync(Directory.of(path))
        return .written(length: try FileStatus(of: path).size, isComplete: isComplete)
    }

    /// Moves the file. Copies it if the destination is on another volume, such as an external drive of a Mac.
    private static func move(_ path: String, to target: String) throws {
        do throws(SystemError) {
            try Files.rename(path, to: target)
        } catch {
            guard error == .otherVolume else { throw error }
            try Data().write(to: URL(fileURLWithPath: target))
            try append(path, from: 0, to: target, at: 0)
        }
    }

    /// Truncates the file after the new bytes.
    private static func append(_ path: String, from start: Int64, to target: String, at offset: Int64) throws {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: target))
        try source.seek(toOffset: UInt64(clamping: start))
        try file.truncate(atOffset: UInt64(clamping: offset))
        try file.seek(toOffset: UInt64(clamping: offset))
        while let bytes = try source.read(upToCount: portion), !bytes.isEmpty { try file.write(contentsOf: bytes) }
        try source.close()
        try file.close()
    }

    private static func agrees(_ path: String, _ target: String, at offset: Int64, count: Int64) throws -> Bool {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: target))
        defer {
            try? source.close()
            try? file.close()
        }
        try file.seek(toOffset: UInt64(clamping: offset))
        let count = Int(clamping: count)
        return try source.read(upToCount: count) == file.read(upToCount: count)
    }
}
