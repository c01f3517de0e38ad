import Glibc
import LonghaulCommand

// If a standard stream is closed, the next file that is opened would get its number.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", O_RDWR)
}
// If the reader of our output exits, this process must not be killed before it restores the terminal.
signal(SIGPIPE, SIG_IGN)
// The original bytes: `CommandLine.arguments` repairs invalid UTF-8, and a repaired name is another file's.
let words = (1..<max(1, Int(CommandLine.argc))).map { index in
    CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
}
exit(await Program(world: .real()).run(words))
