import LonghaulCore
import LonghaulIPC

extension Command {
    private static let acknowledging = Option(
        "acknowledge-damage", nil, "Acknowledge damage to queue or settings; ends the notices about it")

    private static let clearingCookies = Option("clear-cookies", nil, "Delete the cookies of --session-cookies")

    static let session = Command(
        "session", "[NAME] [options]", "Show a session and its app", options: [acknowledging, clearingCookies, .json],
        examples: [.init("longhaul session org.example.photos", "Show the session of an app")],
        notes: [
            "NAME is the session's name, as longhaul service status lists it (default: the command line's session).",
            "The output contains the events that the app has not acknowledged, how the service starts the app for "
                + "them, and why it does not start the app now.",
            "Longhaul reports damage to the queue, or to the settings for all sessions, until you acknowledge it.",
        ],
        reference: ([], [.init("longhaul session --acknowledge-damage", "End the notices about damaged files")]),
        run: { arguments, world throws(TransferFailure) in
            guard arguments.operands.count <= 1 else { throw .misuse("session takes one name.") }
            let name = arguments.operands.first ?? SessionID.commandLine.description
            guard let session = SessionID(name) else {
                throw .usage("\"\(name)\" is not a session name. Use letters, digits, dots, hyphens, and underscores.")
            }
            let service = try await world.connect(true)
            defer { service.close() }
            let serviceStatus = try await service.status()
            let sessions = serviceStatus.sessions
            let isDamaged = DamageNotice.show(of: session, in: serviceStatus, world.console)
            if session != .commandLine { try find(session, among: sessions.map(\.id)) }
            let isNoted = arguments.has(acknowledging)
            if isNoted { try await service.acknowledgeDamage(of: session) }
            var cookies = SessionCookies(of: session, stateDirectory: serviceStatus.stateDirectory)
            if arguments.has(clearingCookies) {
                try cookies.clear()
                cookies = SessionCookies(of: session, stateDirectory: serviceStatus.stateDirectory)
            }
            let totals = try await service.totals(of: session)
            let info = try await service.info(of: session)
            let status = try await service.wakeStatus(of: session)
            let notifications = try await service.notifications(.status, of: session)
            if arguments.has(.json) {
                var json = JSONWriter()
                json.object { json in
                    json.member("session", session.description)
                    json.member("lastWills", info.lastWills)
                    json.member("cookies", cookies.count)
                    json.object("wake") { $0.members(of: status) }
                    json.object("notifications") { $0.members(of: notifications) }
                }
                json.endLine()
                world.console.writeOutput(json.bytes)
            } else {
                let lines = [
                    DisplayText.fit(tr("Session"), 14) + session.description,
                    DisplayText.fit(tr("Transfers"), 14) + TotalsText.text(totals),
                ]
                world.console.show(
                    (lines + cookies.lines + info.linesOnLastWills + WakeText(status: status, world: world).lines
                        + NotificationsText(status: notifications).lines).joined(separator: "\n"), indent: 14)
            }
            return isDamaged && !isNoted ? .damaged : .success
        })

    /// A misspelled name must not create a session.
    private static func find(_ session: SessionID, among known: [SessionID]) throws(TransferFailure) {
        guard !known.contains(session) else { return }
        let meant = Suggestion.nearest(to: session.description, among: known.map(\.description))
        throw TransferFailure(
            .unknownSession,
            meant.map { tr("There is no session \(session). Did you mean \($0)?") }
                ?? tr("There is no session \(session). To list the sessions, run longhaul service status.")
        )
    }

}

extension SessionInfo {
    /// Empty for most apps, which have no last will.
    fileprivate var linesOnLastWills: [String] {
        guard lastWills > 0 else { return [] }
        return [
            DisplayText.fit(tr("Last will"), 14)
                + (lastWills == 1
                    ? tr("1 request if the app is killed") : tr("\(lastWills) requests if the app is killed"))
        ]
    }
}
