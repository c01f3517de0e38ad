import LonghaulCore

extension Command {
    static let setup = Command(
        "setup", "[options]", "Keep transfers running after logout and reboot", options: [.yes],
        notes: [
            "The command reports what happens to transfers at logout and after a reboot, and asks before each change. It "
                + "changes only your own user's settings: systemd user units (systemctl --user enable) and lingering "
                + "(loginctl enable-linger)."
        ],
        reference: ([], [.init("longhaul setup --yes", "Change the settings without a question")]),
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "setup")
            return try await Setup(world: world, asksNothing: arguments.has(.yes)).run()
        })
}

/// Changes the settings of the user, step by step, so that transfers continue after logout and at boot.
struct Setup: Sendable {
    let world: World
    let asksNothing: Bool

    /// One change.
    struct Step: Equatable, Sendable {
        var question: String
        var command: [String]
        /// The remedy if the user lacks the permission.
        var remedy: String
    }

    func run() async throws(TransferFailure) -> ExitStatus {
        let before = world.examineLogout()
        say(before)
        guard before.finding.verdict != .ok else { return .success }
        var status = ExitStatus.success
        for step in Self.steps(for: before) {
            let line = step.command.joined(separator: " ")
            guard try isAllowed(step, line) else {
                world.console.say(tr("Skipped: \(line)"))
                continue
            }
            if world.perform(step.command) == 0 {
                world.console.say(tr("Done: \(line)"))
            } else {
                world.console.say(tr("Failed: \(line)"))
                world.console.say(step.remedy)
                status = .service
            }
        }
        let after = world.examineLogout()
        if after != before { say(after) }
        return status
    }

    private func isAllowed(_ step: Step, _ line: String) throws(TransferFailure) -> Bool {
        if asksNothing { return true }
        return try world.asks(step.question + " " + tr("This runs: \(line)"), emptyMeans: true)
    }

    /// The possible changes on this machine, in order.
    static func steps(for found: LogoutExamination) -> [Step] {
        guard found.hasSystemd else { return [] }
        var steps: [Step] = []
        if found.units == .installed {
            steps.append(
                Step(
                    question: tr("Start the service at login?"),
                    command: ["systemctl", "--user", "enable", "--now", "longhaul.socket", "longhaul.service"],
                    remedy: tr("Run longhaul setup in a login session of this user, not with su or sudo.")))
        }
        if !found.lingers {
            steps.append(
                Step(
                    question: tr("Keep transfers running after logout, and start them at boot?"),
                    command: ["loginctl", "enable-linger"],
                    remedy: tr("Ask an administrator to run: sudo loginctl enable-linger \(found.user)")))
        }
        return steps
    }

    private func say(_ found: LogoutExamination) {
        world.console.say(found.finding.message)
        if !found.hasSystemd, let remedy = found.finding.remedy { world.console.say(remedy) }
        if found.hasSystemd, found.units == .missing {
            world.console.say(
                tr(
                    "The systemd units of Longhaul are not installed: after a reboot, only a command starts the service."
                ))
        }
    }
}
