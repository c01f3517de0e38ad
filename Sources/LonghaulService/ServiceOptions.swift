import LonghaulCore

/// The options on the command line of `longhauld`.
package struct ServiceOptions: Equatable, Sendable {
    /// The idle time in seconds, without clients or work, before the exit; 0 never exits.
    package var idleExitSeconds = 60
    /// The descriptor that receives one byte when the service listens.
    package var readyDescriptor: Int32?

    package init() {}

    package enum Request: Equatable, Sendable {
        case run(ServiceOptions)
        case help
        case version
        /// A sentence about the error.
        case refused(String)
    }

    /// Reads the arguments after the program's name.
    package static func parse(_ arguments: [String]) -> Request {
        var options = ServiceOptions()
        var rest = ArraySlice(arguments)
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--help", "-h": return .help
            case "--version": return .version
            case "--idle-exit":
                guard let seconds = number(parts, &rest), seconds >= 0 else {
                    return .refused("--idle-exit requires a number of seconds; 0 means never.")
                }
                options.idleExitSeconds = seconds
            case "--ready-fd":
                guard let descriptor = number(parts, &rest), let number = Int32(exactly: descriptor), number > 2 else {
                    return .refused("--ready-fd requires the number of an open descriptor, at least 3.")
                }
                options.readyDescriptor = number
            default:
                return .refused("There is no option \(argument). See longhauld --help.")
            }
        }
        return .run(options)
    }

    /// The output of `--help`.
    package static let help = """
        longhauld: the transfer service of one user.

        Systemd or the first program that needs the service starts it. It exits when idle.

        Usage: longhauld [--idle-exit SECONDS] [--ready-fd N]

          --idle-exit SECONDS  Exit after SECONDS without a client or a pending transfer
                               (default: 60; 0: never)
          --ready-fd N         Write one byte to file descriptor N when the service listens
          --version            Print the version
          --help               Print this text

        Queue and socket: $XDG_STATE_HOME/longhaul (default: ~/.local/state/longhaul)

        LONGHAUL_PATHS=plain transfers all bodies through libcurl, without faster paths for
        known libcurl versions. longhaul doctor reports these paths.

        """

    private static func number(_ parts: [String], _ rest: inout ArraySlice<String>) -> Int? {
        guard let text = parts.count == 2 ? parts[1] : rest.popFirst() else { return nil }
        return Int(text)
    }
}
