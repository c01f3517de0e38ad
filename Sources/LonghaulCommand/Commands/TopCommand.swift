import LonghaulCore

extension Command {
    static let top = Command(
        "top", "[options]", "Show and control transfers in full screen", options: [.session],
        notes: [
            "Press ? for the keys, and q to exit; the transfers continue. The command requires a terminal. Without one, "
                + "use longhaul list or longhaul watch."
        ],
        reference: (
            [
                "The second line from the bottom explains the state of the selected transfer. `top` asks before it loses "
                    + "bytes: to cancel, or to pause a transfer that cannot resume. After `kill -9`, run `reset` to "
                    + "restore the terminal."
            ], [.init("longhaul top --session org.example.photos", "Show the transfers of an app")]
        ),
        run: { arguments, world throws(TransferFailure) in
            try await TopRun.start(arguments, world)
        })
}
