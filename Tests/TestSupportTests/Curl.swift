import TestSupport

/// The real `curl`, as an independent judge of what the server sends.
func curl(_ arguments: String...) throws -> (code: Int32, output: String) {
    let result = try ProgramCall("/usr/bin/curl", ["-sS", "--max-time", "30"] + arguments).run()
    guard case .exited(let code) = result.ending else { return (-1, result.errorOutput) }
    return (code, result.output)
}
