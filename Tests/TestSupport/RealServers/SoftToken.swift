import LonghaulCore

/// A PKCS#11 token of SoftHSM that holds one private key.
package struct SoftToken: Sendable {
    /// Why no token can be used here; `nil` when one can.
    package static var missing: String? {
        // With the libcurl of this run: a version without engines refuses the option.
        var call = ProgramCall("/usr/bin/curl", ["--silent", "--engine", "pkcs11", "file:///dev/null"])
        call.environment.merge(Tools.environment.filter { $0.key == "LD_LIBRARY_PATH" }) { $1 }
        return (try? call.run())?.ending == .exited(0)
            ? Tools.missing("softhsm2-util", utility)
            : "this libcurl finds no engine for PKCS#11: scripts/setup installs libengine-pkcs11-openssl"
    }

    private static let utility = "/usr/bin/softhsm2-util"
    private static let module = "/usr/lib/softhsm/libsofthsm2.so"

    /// The environment that leads OpenSSL's engine to the token.
    package let environment: [String: String]

    /// Creates the token in `directory`, from a file with a key that is encrypted with `password`.
    package init(in directory: TemporaryDirectory, key: String, password: String, pin: String) throws {
        let configuration = directory.path("softhsm2.conf")
        try directory.makeDirectory("tokens")
        try directory.write("directories.tokendir = \(directory.path("tokens"))\n".utf8, to: "softhsm2.conf")
        environment = ["SOFTHSM2_CONF": configuration, "PKCS11_MODULE_PATH": Self.module]
        let script = """
            set -e
            openssl pkcs8 -topk8 -nocrypt -in "$1" -passin "pass:$2" -out plain.key
            softhsm2-util --init-token --free --label longhaul --so-pin 87654321 --pin "$3"
            softhsm2-util --import plain.key --token longhaul --label key --id 01 --pin "$3"
            """
        var call = ProgramCall("/bin/sh", ["-c", script, "sh", key, password, pin])
        call.environment.merge(environment) { $1 }
        call.directory = directory.path
        let result = try call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.fileFailed, "no token was made: \(result.errorOutput)")
        }
    }

    /// The URI of the key.
    package func key(pin: String) -> String { "pkcs11:token=longhaul;object=key?pin-value=\(pin)" }
}
