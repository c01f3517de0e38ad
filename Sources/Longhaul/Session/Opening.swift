import LonghaulClient
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem

/// Where a configuration leads.
extension TransferSession.Configuration {
    var processEnvironment: [String: String] { environment ?? ProcessEnvironment.current }

    /// How an in-process session is opened.
    func arrival(_ session: SessionID) throws(TransferFailure) -> Arrival {
        let state: String
        if let stateDirectory {
            guard handoff == nil else {
                throw TransferFailure(
                    .invalidArgument,
                    "A service finds only what is in its own state directory: leave stateDirectory out, or handoff.")
            }
            state = AbsolutePath.of(stateDirectory)
        } else {
            state = try LonghaulPaths(environment: processEnvironment).stateDirectory
        }
        return Arrival(
            layout: SessionLayout(stateDirectory: state, session: session),
            link: handoff.map { _ in ServiceLink(session, environment: processEnvironment) },
            foreground: handoff?.foreground ?? .takeOver,
            helper: HelperSource.shellCommand(processEnvironment["LONGHAUL_CREDENTIAL_HELPER"]), probe: handoffProbe,
            world: world)
    }
}
