import Glibc
import LonghaulCore

/// The keys of a signer who uses the real gpg.
package struct Signer: Sendable {
    /// Why signing is impossible here; `nil` if it is possible.
    package static var missing: String? {
        for program in ["/usr/bin/gpg", "/usr/bin/gpgv"] where access(program, X_OK) != 0 {
            return "\(program) is not installed"
        }
        return nil
    }

    private let home: TemporaryDirectory

    /// Stores the public key in `keyring.gpg`, and as a text in `keyring.asc`.
    package init(in home: TemporaryDirectory) throws {
        self.home = home
        try home.makeDirectory("keys")
        chmod(home.path("keys"), 0o700)
        try run("gpg --batch --quiet --passphrase '' --quick-generate-key ada@example.org ed25519 sign never")
        try run("gpg --batch --export > keyring.gpg && gpg --batch --armor --export > keyring.asc")
    }

    package func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        try home.write(bytes, to: "signed")
        try run("gpg --batch --yes --detach-sign -o signed.sig signed")
        return try home.read("signed.sig")
    }

    private func run(_ script: String) throws {
        // The agent that gpg starts would outlive the test.
        var call = ProgramCall("/bin/sh", ["-c", script + "; status=$?; gpgconf --kill all; exit $status"])
        call.directory = home.path
        call.environment["GNUPGHOME"] = home.path("keys")
        call.environment["PATH"] = "/usr/bin:/bin"
        let result = try call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.fileFailed, "gpg failed: \(result.errorOutput)")
        }
    }
}
