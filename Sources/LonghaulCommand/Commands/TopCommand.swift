import LonghaulCore

extension Command {
    static let top = Command(
        "top", "[options]", "Show the transfers on the whole screen, with keys to change them", options: [.session],
        notes: [
            "Keys: " + TopState.help.map { "\($0.0): \($0.1)" }.joined(separator: "; ") + ".",
            "It needs a terminal that can move its cursor; without one there are longhaul list and longhaul watch. "
                + "NO_COLOR is heeded.",
        ],
        run: { arguments, world throws(TransferFailure) in
            try await TopRun.start(arguments, world)
        })
}
