import LonghaulConditions
import LonghaulCore
import LonghaulCurl
import LonghaulRuntime

// Apple/ has the counterparts of these three. The manifest excludes one of the two directories.

extension InProcessWorld {
    /// This machine: an engine over libcurl, and the conditions that the kernel and the system bus report.
    static func real(_ layout: SessionLayout, helper: [String]) throws(TransferFailure) -> InProcessWorld {
        let conditions = ConditionsController(stateDirectory: layout.stateDirectory, watchesSettings: true)
        var environment = RuntimeEnvironment.real { layout, sink throws(TransferFailure) in
            try Engine.overLibcurl(alternatives: layout.alternatives, cookies: layout.cookies, sink: sink)
        }
        environment.credentialHelper = helper
        environment.userLedger = conditions.ledger
        environment.surroundings = { conditions.surroundings() }
        // The first reading precedes the first byte, because the conditions may forbid transfers.
        let link = RuntimeLink()
        conditions.start(
            .init(
                changed: { link.runtime?.update($0) }, networkReturned: { link.runtime?.reportNetworkReturn() },
                networkChanged: { link.runtime?.reportNetworkChange() },
                clockChanged: { link.runtime?.reportClockChange() },
                prepareForSleep: { done in
                    guard let runtime = link.runtime else { return done() }
                    runtime.whenSettled(done)
                }))
        return InProcessWorld(
            environment: environment, report: conditions.report,
            opened: { runtime in
                link.set(runtime)
                runtime.update(conditions.surroundings())
            }, closed: conditions.stop)
    }
}

extension TransferSession.Configuration {
    /// Returns the link to the user's service.
    func serviceLink(_ session: SessionID) throws(TransferFailure) -> any SessionLink {
        ServiceLink(session, environment: processEnvironment)
    }
}

extension ProcessLifecycle {
    /// The sources of a lifecycle that is given none.
    static var ownSources: [any Source] { [ProcessSignals()] }
}
