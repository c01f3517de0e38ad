import LonghaulCore

/// What `longhauld` was asked to do on its command line.
package struct ServiceOptions: Equatable, Sendable {
    /// Leaves after this many seconds without a client and without anything to do; 0 never leaves.
    package var idleExitSeconds = 60
    /// Told by one byte when the service listens.
    package var readyDescriptor: Int32?

    package init() {}

    package enum Request: Equatable, Sendable {
        case run(ServiceOptions)
        case help
        case version
        /// A sentence about what is wrong.
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
                    return .refused("--idle-exit needs a number of seconds, 0 to stay for ever.")
                }
                options.idleExitSeconds = seconds
            case "--ready-fd":
                guard let descriptor = number(parts, &rest), let number = Int32(exactly: descriptor), number > 2 else {
                    return .refused("--ready-fd needs the number of an open descriptor, 3 or more.")
                }
                options.readyDescriptor = number
            default:
                return .refused("\(argument) is not understood. Try longhauld --help.")
            }
        }
        return .run(options)
    }

    /// What `--help` prints.
    package static let help = """
        longhauld: moves the files of one user, for as long as it takes.

        It is started by systemd or by the first program that needs it, and leaves when there is nothing to do.

        Usage: longhauld [--idle-exit SECONDS] [--ready-fd N]

          --idle-exit SECONDS  leave after this long without a client and without anything to do;
                               0 stays for ever (default 60)
          --ready-fd N         write one byte to this descriptor when it listens
          --version            print the version
          --help               print this

        Transfers: $XDG_STATE_HOME/longhaul (default ~/.local/state/longhaul)
        Socket:    in the same directory

        With LONGHAUL_PATHS=plain in its environment all bodies go through libcurl, also those which
        the service moves faster itself with a libcurl that it knows (longhaul doctor tells).

        """

    private static func number(_ parts: [String], _ rest: inout ArraySlice<String>) -> Int? {
        guard let text = parts.count == 2 ? parts[1] : rest.popFirst() else { return nil }
        return Int(text)
    }
}
