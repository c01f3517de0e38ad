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
        if body.segments.count == 1, case .file(let source, 0, body.length) = body.segments[0],
            source.pin.size == body.length
        {
            return source.path
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
            throw TransferFailure(
                .fileFailed, "Could not assemble the body at \(path): \(error.localizedDescription)")
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
        guard SourcePin(status) == source.pin else {
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
