import TestSupport

/// Runs the real `curl`, as an independent check of the server's output.
func curl(_ arguments: String...) throws -> (code: Int32, output: String) {
    let result = try ProgramCall("/usr/bin/curl", ["-sS", "--max-time", "30"] + arguments).run()
    guard case .exited(let code) = result.ending else { return (-1, result.errorOutput) }
    return (code, result.output)
}
