import LonghaulCore

extension Command {
    static let setup = Command(
        "setup", "[options]", "Keep transfers running after logout and reboot", options: [.yes],
        notes: [
            "The command reports what happens to transfers at logout and after a reboot, and asks before each change. It "
                + "changes only your own user's settings: systemd user units (systemctl --user enable) and lingering "
                + "(loginctl enable-linger)."
        ],
        run: { arguments, world throws(TransferFailure) in
            try arguments.refuseOperands(of: "setup")
            return try await Setup(world: world, asksNothing: arguments.has(.yes)).run()
        })
}

/// Brings about, step by step, that transfers go on after logout and at boot.
struct Setup: Sendable {
    let world: World
    let asksNothing: Bool

    /// One thing that would change what becomes of transfers.
    struct Step: Equatable, Sendable {
        var purpose: String
        var command: [String]
        /// What to do where it fails, which it does where the user may not.
        var remedy: String
    }

    func run() async throws(TransferFailure) -> ExitStatus {
        let before = world.examineLogout()
        say(before)
        guard before.finding.verdict != .ok else { return .success }
        var status = ExitStatus.success
        for step in Self.steps(for: before) {
            let line = step.command.joined(separator: " ")
            guard try mayDo(step, line) else {
                world.console.say("Left as it is: \(line)")
                continue
            }
            if world.perform(step.command) == 0 {
                world.console.say("Done: \(line)")
            } else {
                world.console.say("Failed: \(line); \(step.remedy)")
                status = .service
            }
        }
        let after = world.examineLogout()
        if after != before { say(after) }
        return status
    }

    private func mayDo(_ step: Step, _ line: String) throws(TransferFailure) -> Bool {
        if asksNothing { return true }
        return try world.confirm("\(step.purpose)? This runs: \(line) [Y/n] ")
    }

    /// What can be done about it here, in order.
    static func steps(for found: LogoutExamination) -> [Step] {
        guard found.hasSystemd else { return [] }
        var steps: [Step] = []
        if found.units == .installed {
            steps.append(
                Step(
                    purpose: "Start the service at login",
                    command: ["systemctl", "--user", "enable", "--now", "longhaul.socket", "longhaul.service"],
                    remedy: "run it in a login of your own, not by su or sudo"))
        }
        if !found.lingers {
            steps.append(
                Step(
                    purpose: "Let transfers go on after logout, and at boot", command: ["loginctl", "enable-linger"],
                    remedy: "have it done: sudo loginctl enable-linger \(found.user)"))
        }
        return steps
    }

    private func say(_ found: LogoutExamination) {
        world.console.say("Now: " + found.finding.message)
        if !found.hasSystemd, let remedy = found.finding.remedy { world.console.say("But " + remedy) }
        if found.hasSystemd, found.units == .missing {
            world.console.say(
                "The units of systemd are not installed: nothing starts the service after a reboot but a command.")
        }
    }
}
