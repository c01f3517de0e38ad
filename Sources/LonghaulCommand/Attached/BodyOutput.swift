import LonghaulCore
import LonghaulSystem
import Synchronization

/// Writes a download to standard output as it arrives: a thread follows the partial file, which is written in order.
final class BodyOutput: Sendable {
    enum End: Equatable, Sendable {
        /// The whole file was written.
        case written
        /// No process reads standard output anymore.
        case closed
        case failed(TransferFailure)
    }

    private struct State {
        /// The path of the complete file.
        var wholePath: String?
        var written: Int64 = 0
        /// How often the download had restarted before anything was written.
        var beginnings = 0
        var isLeft = false
    }

    /// The end, when it is known.
    let ends: AsyncStream<End>
    private let tell: AsyncStream<End>.Continuation
    private let directory: String
    private let output: LentDescriptor
    private let state = Mutex(State())

    private static let checkInterval: Int64 = 20_000_000

    /// - Parameter directory: The directory of the download, which contains nothing else.
    init(directory: String, output: LentDescriptor) {
        self.directory = directory
        self.output = output
        (ends, tell) = AsyncStream<End>.makeStream()
    }

    /// The thread may block as long as no process reads, so it is detached.
    func begin(_ id: TransferID) {
        NativeThread.detach { self.follow(self.directory + "/" + PartialName.make(id)) }
    }

    /// Stops writing.
    func stop() { state.withLock { $0.isLeft = true } }

    /// Updates the state of the download. Returns a failure if the written bytes are not the beginning of the file.
    func update(_ transfer: TransferSnapshot) -> TransferFailure? {
        state.withLock { state in
            if transfer.state == .succeeded { state.wholePath = transfer.path }
            if case .failed = transfer.state { return nil }
            guard transfer.restartCounts > state.beginnings else { return nil }
            guard state.written > 0 else {
                state.beginnings = transfer.restartCounts
                return nil
            }
            state.isLeft = true
            let reason = transfer.restartReason ?? .contentChanged
            return TransferFailure(
                reason == .digestMismatch ? .digestMismatch : .contentChanged,
                tr("The bytes on standard output are not those of the file: \(reason.text)."))
        }
    }

    private func follow(_ partialPath: String) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4_096)
        defer { room.deallocate() }
        var file: Descriptor?
        var written: Int64 = 0
        while true {
            // Read before the file: a file that is complete by now does not grow.
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
                    NativeThread.sleep(nanoseconds: Self.checkInterval)
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
                        .fileFailed, tr("Cannot write to standard output: \(LocalFiles.reason(error))."),
                        origin: error.origin)))
        }
        return false
    }

    private func end(_ end: End) {
        tell.yield(end)
        tell.finish()
    }

    private static func open(_ path: String) -> Descriptor? {
        // The file does not exist yet, or was renamed.
        try? Descriptor(opening: path, [.reading, .noLink])
    }

    private static func unreadable(_ error: SystemError) -> TransferFailure {
        TransferFailure(
            .fileFailed, tr("Could not read the downloaded bytes: \(LocalFiles.reason(error))."), origin: error.origin)
    }
}
