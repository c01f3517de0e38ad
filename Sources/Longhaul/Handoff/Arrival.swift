import LonghaulIPC

/// How a process gets a session to run it: from nobody, or from the service.
struct Arrival: Sendable {
    enum Result {
        case here(InProcessBackend)
        /// The service runs it and keeps it; why.
        case there(TransferFailure)
    }

    let layout: SessionLayout
    /// `nil` for a session that has nothing to do with a service.
    let link: ServiceLink?
    /// Whether this process takes back a session that the service runs.
    let takesOver: Bool
    /// What is asked for the credentials of a session without a helper of its own.
    let helper: [String]
    let probe: (@Sendable (HandoffStep) async -> Void)?
    let world: InProcessWorld?

    /// Opens the session here, unless the service keeps it. Fails like `TransferSession.open`.
    func get() async throws(TransferFailure) -> Result {
        // Without a service nobody has to give anything back. What else has the session is found by its lock.
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
            // It went just now.
            case .serviceUnavailable: return .here(try await openHere())
            default: throw error
            }
        }
        await probe?(.released)
        let opened = await open()
        // Also after a failure: the service takes back what it gave. One that is gone sees the session when it starts.
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
