import Glibc
import Longhaul
import LonghaulCore
import Synchronization
import TestSupport
import Testing

/// The credential requests of an app, and its answers: one token first, another one after that one was refused.
final class TokenGiver: Sendable {
    static let secrets = ["first-SECRET-token", "second-SECRET-token"]

    private let asked = Mutex<[CredentialRequest]>([])

    var requests: [CredentialRequest] { asked.withLock { $0 } }

    func give(_ request: CredentialRequest) -> Credential? {
        asked.withLock { $0.append(request) }
        return .bearer(Self.secrets[request.isRenewal ? 1 : 0])
    }
}

/// A helper as a user would write it: a script with a token in it, and another one after an `erase`.
struct ScriptHelper {
    let world: SessionWorld
    let name: String

    init(in world: SessionWorld, named name: String = "helper") throws {
        self.world = world
        self.name = name
        try world.files.makeDirectory(name)
        let script = """
            cd "$(dirname "$0")" || exit 1
            cat > "in.$1"
            echo "$1" >> log
            [ "$1" = erase ] && touch erased
            [ "$1" = get ] || exit 0
            echo "this goes nowhere: \(TokenGiver.secrets[0])" >&2
            echo authtype=bearer
            if [ -e erased ]; then echo credential=\(TokenGiver.secrets[1]); else echo credential=\(TokenGiver.secrets[0]); fi
            """
        try world.files.write(Array(script.utf8), to: name + "/ask")
    }

    var command: [String] { ["sh", world.files.path(name + "/ask")] }

    /// The operations that it was called with, in order.
    var calls: [String] {
        get throws { try text("log").split(separator: "\n").map(String.init) }
    }

    func text(_ file: String) throws -> String {
        String(decoding: try world.files.read(name + "/" + file), as: UTF8.self)
    }
}

extension Route {
    /// Returns a route that only the second token opens.
    static func guarded(_ reply: Reply) -> Route {
        .decided { request, _ in
            request.header("Authorization") == "Bearer \(TokenGiver.secrets[1])" ? reply : .status(401)
        }
    }
}

extension SessionWorld {
    static let credential = CredentialName("photos")!

    static var options: TransferOptions {
        var options = TransferOptions()
        options.credentialName = credential
        return options
    }

    /// Returns the files below this world's home that contain the text; `helper` directories are skipped.
    func files(holding secret: String) async throws -> [String] {
        let call = ProgramCall("/bin/grep", ["-rlaF", "--exclude-dir=helper", "-e", secret, files.path])
        return try await call.run().output.split(separator: "\n").map(String.init)
    }
}

extension Transfer {
    /// Waits until the transfer waits for credentials that are not available, and returns the reason.
    func waitForLack() async throws -> TransferFailure {
        let snapshot = try await wait {
            if case .waiting(let waiting) = $0.state {
                waiting.reason == .credentials && waiting.failure != nil
            } else {
                false
            }
        }
        guard case .waiting(let waiting) = snapshot.state, let failure = waiting.failure else {
            throw TransferFailure(.internalFault, "\(snapshot.state)")
        }
        return failure
    }
}
