import LonghaulCommand
import LonghaulSystem

ThisProcess.openStandardStreams()
// If the reader of our output exits, this process must not be killed before it restores the terminal.
ThisProcess.ignoreBrokenPipes()
// The original bytes: `CommandLine.arguments` repairs invalid UTF-8, and a repaired name is another file's.
let words = (1..<max(1, Int(CommandLine.argc))).map { index in
    CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
}
ThisProcess.exit(await Program(world: .real()).run(words))
