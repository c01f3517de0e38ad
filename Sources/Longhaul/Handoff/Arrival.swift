/// Acquires a session for this process: a free session, or one that the service gives back.
struct Arrival: Sendable {
    enum Result {
        case here(InProcessBackend)
        /// The service keeps running the session, for this reason.
        case there(TransferFailure)
    }

    let layout: SessionLayout
    /// `nil` for a session that never uses a service.
    let link: (any SessionLink)?
    /// Whether this process takes over a session that the service runs.
    let takesOver: Bool
    /// The command that supplies credentials if the session has none configured.
    let helper: [String]
    let probe: (@Sendable (HandoffStep) async -> Void)?
    let world: InProcessWorld?

    /// Opens the session in this process, unless the service keeps it. Fails like `TransferSession.open`.
    func get() async throws(TransferFailure) -> Result {
        // Without a service, no process has to release the session. If another process has the session, its lock shows that.
        guard let link, await link.connects() else {
            return .here(try await openHere())
        }
        do throws(TransferFailure) {
            if !takesOver, try await link.isRunByService() {
                return .there(
                    TransferFailure(.sessionInUse, "longhauld runs the session, and this app chose to watch it only."))
            }
            try await link.release()
        } catch {
            switch error.code {
            case .invalidState: return .there(error)
            // The service stopped just now.
            case .serviceUnavailable: return .here(try await openHere())
            default: throw error
            }
        }
        await probe?(.released)
        let opened = await open()
        // Even if opening failed: the service then reclaims the session. A service that stopped finds the session when it starts.
        try? await link.adopt()
        let session = try opened.get()
        await probe?(.announcedAgain)
        return .here(session)
    }

    private func openHere() async throws(TransferFailure) -> InProcessBackend {
        try await InProcessBackend.open(layout, helper: helper, in: world)
    }

    private func open() async -> Swift.Result<InProcessBackend, TransferFailure> {
        do throws(TransferFailure) {
            let session = try await openHere()
            await probe?(.opened)
            return .success(session)
        } catch {
            return .failure(error)
        }
    }
}
