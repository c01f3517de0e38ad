import Foundation
import LonghaulCore
import LonghaulSystem

/// The single file from which the system reads a body.
enum BodyFile {
    private static let portion = 1 << 20

    /// Returns the source itself if it is sent whole; otherwise writes the segments to a separate file. Fails if the
    /// body is no longer needed.
    static func make(
        _ body: BodyPlan, at path: String, while isWanted: () -> Bool
    ) throws(TransferFailure) -> String {
        for case .file(let source, _, _) in body.segments { try compare(source) }
        if body.isInPlace, case .file(let source, _, _) = body.segments[0] { return source.path }
        // The system and other apps need space too. A file system without a size has no limit.
        if let free = try? Files.freeBytes(at: Directory.of(path)), free / 2 < body.length {
            throw TransferFailure(
                .diskFull,
                "Could not assemble the body at \(path): the disk is almost full. Free some space and try again.")
        }
        do {
            try Data().write(to: URL(fileURLWithPath: path))
            let target = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            for segment in body.segments { try write(segment, to: target, while: isWanted) }
            try target.close()
            for case .file(let source, _, _) in body.segments { try compare(source) }
        } catch let failure as TransferFailure {
            Files.discard(path)
            throw failure
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            Files.discard(path)
            throw TransferFailure(
                .sourceUnreadable, "Could not read the file to upload.", origin: .system(RetryPolicy.lockedFile))
        } catch {
            Files.discard(path)
            throw ErrorReading.fileFailure("Could not assemble the body at \(path)", error)
        }
        return path
    }

    /// Fails if the file is not the submitted one.
    static func compare(_ source: SourceFile) throws(TransferFailure) {
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: source.path)
        } catch .missing {
            throw TransferFailure(.sourceMissing, "\(source.path) no longer exists. Restore it, then retry.")
        } catch {
            throw TransferFailure(.sourceUnreadable, "Could not read \(source.path).", error: error)
        }
        guard source.isPinned(as: SourcePin(status)) else {
            throw TransferFailure(
                .sourceChanged, "\(source.path) changed after it was submitted. Submit it again.")
        }
    }

    private static func write(
        _ segment: BodyPlan.Segment, to target: FileHandle, while isWanted: () -> Bool
    ) throws {
        switch segment {
        case .bytes(let bytes): try target.write(contentsOf: bytes)
        case .file(let source, let offset, var rest):
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: source.path))
            try file.seek(toOffset: UInt64(clamping: offset))
            while rest > 0 {
                guard isWanted() else { throw TransferFailure(.interrupted, "The session was closed.") }
                let bytes = try file.read(upToCount: Int(clamping: min(rest, Int64(portion)))) ?? Data()
                guard !bytes.isEmpty else {
                    throw TransferFailure(.sourceChanged, "\(source.path) is shorter than it was at the submission.")
                }
                try target.write(contentsOf: bytes)
                rest -= Int64(bytes.count)
            }
            try file.close()
        }
    }
}

extension BodyPlan {
    /// Whether the body is a whole file, which the system reads where it is.
    var isInPlace: Bool {
        guard segments.count == 1, case .file(let source, 0, length) = segments[0] else { return false }
        return source.pin.size == length
    }
}

extension ExchangePlan {
    /// Returns a plan that sends at most that many bytes from the middle of a file, if its server reports how many it has. The next
    /// attempt sends the next bytes.
    func copying(atMost limit: Int64) -> ExchangePlan {
        guard isOfResumableUpload, let body, body.length > limit, body.segments.count == 1,
            case .file(let source, let offset, _) = body.segments[0], offset > 0
        else { return self }
        var plan = self
        plan.body?.segments = [.file(source, offset: offset, length: limit)]
        plan.body?.length = limit
        return plan
    }
}
