import Glibc
import LonghaulCommand

// Where a standard stream was closed its number would go to the next file that is opened.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", O_RDWR)
}
// A reader of our output that goes away must not end us before the terminal is in order.
signal(SIGPIPE, SIG_IGN)
// As they were typed: `CommandLine.arguments` mends what is not UTF-8, and a mended name is another file's.
let words = (1..<max(1, Int(CommandLine.argc))).map { index in
    CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
}
exit(await Program(world: .real()).run(words))
