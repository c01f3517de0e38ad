import LonghaulCore

extension Command {
    static let top = Command(
        "top", "[options]", "Show and control transfers in full screen", options: [.session],
        notes: [
            "Press ? for the keys, and q to exit; the transfers continue. The command requires a terminal. Without one, "
                + "use longhaul list or longhaul watch."
        ],
        run: { arguments, world throws(TransferFailure) in
            try await TopRun.start(arguments, world)
        })
}
