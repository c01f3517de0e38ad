import LonghaulCore

// Linux/ has the counterparts of these three. The manifest excludes one of the two directories.

extension InProcessWorld {
    /// Fails: only `AppSession` makes an engine of the system's sessions.
    static func real(_ layout: SessionLayout, helper: [String]) throws(TransferFailure) -> InProcessWorld {
        throw .needsAppSession
    }
}

extension TransferSession.Configuration {
    /// Fails: an Apple system has no service.
    func serviceLink(_ session: SessionID) throws(TransferFailure) -> any SessionLink {
        throw .needsAppSession
    }
}

extension ProcessLifecycle {
    /// The sources of a lifecycle that is given none: the system reports an app's states to its objects, not to its process.
    static var ownSources: [any Source] { [] }
}

extension TransferFailure {
    fileprivate static let needsAppSession = TransferFailure(
        .invalidArgument, "This system has no longhauld. Import LonghaulApple and open the session with AppSession.")
}
