import LonghaulRuntime
import LonghaulSystem

extension TransferSession.Configuration {
    var processEnvironment: [String: String] { environment ?? ProcessEnvironment.current }

    /// Returns how this process opens the session itself; `nil` if the service runs it.
    func arrival(_ session: SessionID) throws(TransferFailure) -> Arrival? {
        let state: String
        let takesOver: Bool
        let link: (any SessionLink)?
        switch execution {
        case .service: return nil
        case .inProcess(let directory):
            (takesOver, link) = (true, nil)
            state =
                if let directory { AbsolutePath.of(directory) } else {
                    try LonghaulPaths(environment: processEnvironment).stateDirectory
                }
        case .handoff(let takes):
            (takesOver, link) = try (takes, serviceLink(session))
            // The service finds only the sessions in its own state directory.
            state = try LonghaulPaths(environment: processEnvironment).stateDirectory
        }
        return Arrival(
            layout: SessionLayout(stateDirectory: state, session: session), link: link, takesOver: takesOver,
            helper: HelperSource.shellCommand(processEnvironment["LONGHAUL_CREDENTIAL_HELPER"]), probe: handoffProbe,
            world: world)
    }
}
