import LonghaulCore
import LonghaulSystem
import Synchronization

/// Writes a download to standard output while it comes: a thread follows its partial file, whose bytes come in order.
final class BodyOutput: Sendable {
    enum End: Equatable, Sendable {
        /// All of it was written.
        case written
        /// Nobody reads any more.
        case closed
        case failed(TransferFailure)
    }

    private struct State {
        /// Where the whole file is, once it is there.
        var wholePath: String?
        var written: Int64 = 0
        /// How often it had begun anew when nothing was written yet.
        var beginnings = 0
        var isLeft = false
    }

    /// One end, when it has come.
    let ends: AsyncStream<End>
    private let tell: AsyncStream<End>.Continuation
    private let directory: String
    private let output: LentDescriptor
    private let state = Mutex(State())

    private static let lookInterval: Int64 = 20_000_000

    /// - Parameter directory: The download's, where nothing else is.
    init(directory: String, output: LentDescriptor) {
        self.directory = directory
        self.output = output
        (ends, tell) = AsyncStream<End>.makeStream()
    }

    /// The thread may be in a call that blocks for as long as nobody reads, so nobody waits for its end.
    func begin(_ id: TransferID) {
        NativeThread.detach { self.follow(self.directory + "/" + PartialName.make(id)) }
    }

    /// Nothing more is written.
    func leave() { state.withLock { $0.isLeft = true } }

    /// What became of the download; a failure when what was written is not the beginning of what comes.
    func hear(_ transfer: TransferSnapshot) -> TransferFailure? {
        state.withLock { state in
            if transfer.state == .succeeded { state.wholePath = transfer.path }
            if case .failed = transfer.state { return nil }
            guard transfer.beginningsAnew > state.beginnings else { return nil }
            guard state.written > 0 else {
                state.beginnings = transfer.beginningsAnew
                return nil
            }
            state.isLeft = true
            let reason = transfer.beganAnewBecause ?? .contentChanged
            return TransferFailure(
                reason == .digestMismatch ? .digestMismatch : .contentChanged,
                "What went to standard output is no good: \(reason.text).")
        }
    }

    private func follow(_ partialPath: String) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4_096)
        defer { room.deallocate() }
        var file: Descriptor?
        var written: Int64 = 0
        while true {
            // Asked before the file is read: what is whole by now has no more to come.
            let (wholePath, isLeft) = state.withLock { ($0.wholePath, $0.isLeft) }
            if isLeft { return }
            if written == 0 { file = Self.open(partialPath) ?? wholePath.flatMap(Self.open) }
            do throws(SystemError) {
                let count = try file?.read(into: room, at: written) ?? 0
                if count > 0 {
                    guard write(UnsafeRawBufferPointer(rebasing: room[..<count])) else { return }
                    written += Int64(count)
                    state.withLock { $0.written = written }
                } else if wholePath == nil {
                    NativeThread.sleep(nanoseconds: Self.lookInterval)
                } else {
                    return end(file == nil ? .failed(Self.unreadable(.missing)) : .written)
                }
            } catch {
                return end(.failed(Self.unreadable(error)))
            }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SystemError) {
            try output.write(bytes)
            return true
        } catch .brokenPipe {
            end(.closed)
        } catch {
            end(
                .failed(
                    TransferFailure(
                        .fileFailed, "standard output cannot be written: \(LocalFiles.reason(error))",
                        origin: error.origin)))
        }
        return false
    }

    private func end(_ end: End) {
        tell.yield(end)
        tell.finish()
    }

    private static func open(_ path: String) -> Descriptor? {
        // It is not there yet, or not any more.
        try? Descriptor(opening: path, [.reading, .noLink])
    }

    private static func unreadable(_ error: SystemError) -> TransferFailure {
        TransferFailure(
            .fileFailed, "what has come cannot be read: \(LocalFiles.reason(error))", origin: error.origin)
    }
}
