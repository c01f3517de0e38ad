import LonghaulCore

/// Follows transfers over one connection after another: they outlive the service process, so watching them does too.
struct Watcher: Sendable {
    let world: World
    let session: SessionID
    /// Whether successes and progress are not displayed.
    let isBrief: Bool
    let tell: @Sendable (AttachedEvent) -> Void

    /// Milliseconds before each new connection; after the last one it gives up.
    private static let waits: [Int64] = [100, 400, 1_000, 2_000, 4_000]

    /// Whether the selection is too large for a reason for each wait.
    private static func isMany(_ selection: TransferSelection) -> Bool {
        if case .ids(let ids) = selection { ids.count > 100 } else { false }
    }

    func run(_ selection: TransferSelection) async {
        var losses = 0
        while true {
            let lost = await follow(selection) { losses = 0 }
            if Task.isCancelled { return }
            guard lost.code == .serviceUnavailable, losses < Self.waits.count else { return tell(.watchFailed(lost)) }
            tell(.notice("the service went away; connecting again (\(losses + 1) of \(Self.waits.count))"))
            await world.pause(.milliseconds(Self.waits[losses]))
            losses += 1
        }
    }

    /// Watches until the watch ends, and returns why.
    private func follow(_ selection: TransferSelection, gotUpdate: () -> Void) async -> TransferFailure {
        do {
            let connection = try await world.connect(true)
            defer { connection.close() }
            let detail = WatchDetail(omitsQueued: Self.isMany(selection), isBrief: isBrief)
            for try await update in connection.watch(selection, in: session, detail) {
                gotUpdate()
                tell(.update(update))
            }
            return TransferFailure(
                .serviceUnavailable, "the service closed the connection; see longhaul service status")
        } catch let failure as TransferFailure {
            return failure
        } catch {
            return TransferFailure(.internalFault, "watching ended for an unknown reason; see longhaul doctor")
        }
    }
}
