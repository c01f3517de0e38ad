import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Runs programs of the system for this user, such as systemctl(1).
package enum UserProgram {
    private static let patience: Int32 = 30_000

    /// Runs a program and returns its exit status; 127 if it is missing. Sets the user's runtime directory if the
    /// environment lacks it, as under su(1).
    package static func run(_ words: [String], environment: [String: String]) -> Int32 {
        guard let name = words.first else { return 127 }
        var variables = environment
        if let paths = try? LonghaulPaths(environment: environment) { variables = paths.completing(environment) }
        let program = ChildProgram(name, words, environment: variables.map { $0 + "=" + $1 })
        return (try? program.run(withinMilliseconds: patience)) ?? 127
    }
}
