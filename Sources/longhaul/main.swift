import Glibc
import LonghaulCommand

// Where a standard stream was closed its number would go to the next file that is opened.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", O_RDWR)
}
// A reader of our output that goes away must not end us before the terminal is in order.
signal(SIGPIPE, SIG_IGN)
exit(await Program(world: .real()).run(Array(CommandLine.arguments.dropFirst())))
