import Glibc
import LonghaulCommand

// A reader of our output that goes away must not end us before the terminal is in order.
signal(SIGPIPE, SIG_IGN)
exit(await Program(world: .real()).run(Array(CommandLine.arguments.dropFirst())))
