package import LonghaulCore
import LonghaulSystem
import Synchronization

/// A helper program with the interface of git's credential helpers: `COMMAND get`, `store`, or `erase`.
///
/// Calls run one at a time, on a thread that exists only while calls are pending, so that an `erase` ends before the next `get`.
package final class HelperSource: CredentialSource {
    private struct HelperCall: Sendable {
        var action: String
        var input: [UInt8]
        var done: @Sendable (Result<[UInt8], CredentialTrouble>) -> Void
    }

    private struct State {
        var errands: [HelperCall] = []
        var isRunning = false
    }

    private let command: [String]
    private let milliseconds: Int32
    private let state = Mutex(State())

    /// `command` is a program, found in `PATH`, with its first arguments. It is killed after the time limit.
    package init(command: [String], milliseconds: Int32 = 60_000) {
        self.command = command
        self.milliseconds = milliseconds
    }

    /// Returns the command for `LONGHAUL_CREDENTIAL_HELPER`: a shell command line, to which the action is added.
    package static func shellCommand(_ line: String?) -> [String] {
        guard let line, !line.isEmpty else { return [] }
        return ["/bin/sh", "-c", line + " \"$@\"", "longhaul"]
    }

    package var givesURLs: Bool { false }

    package func query(_ question: CredentialQuestion, answer: @escaping @Sendable (CredentialAnswer) -> Void) {
        let input = HelperProtocol.input(question.request)
        add(
            HelperCall(action: "get", input: input) { result in
                switch result {
                case .success(let output): answer(HelperProtocol.answer(output))
                case .failure(let trouble): answer(.none(trouble))
                }
            })
    }

    package func report(_ verdict: CredentialVerdict, _ credential: Credential, for request: CredentialRequest) {
        // As with git, a failure of the helper does not matter here.
        add(HelperCall(action: verdict.rawValue, input: HelperProtocol.input(request, credential)) { _ in })
    }

    private func add(_ errand: HelperCall) {
        let begins = state.withLock { state in
            state.errands.append(errand)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        do throws(SystemError) {
            try NativeThread.started { [self] in run() }.detach()
        } catch {
            while let errand = next() {
                errand.done(.failure(.helperFailed("could not start a thread (\(error.text))")))
            }
        }
    }

    private func run() {
        while let errand = next() { errand.done(call(errand)) }
    }

    private func next() -> HelperCall? {
        state.withLock { state in
            if state.errands.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.errands.removeFirst()
        }
    }

    private func call(_ errand: HelperCall) -> Result<[UInt8], CredentialTrouble> {
        do throws(SystemError) {
            let (output, status) = try ChildProgram.call(
                command + [errand.action], errand.input, limit: HelperProtocol.answerLimit,
                withinMilliseconds: milliseconds)
            // To git, a helper that fails without output has no credential; here the user sees the failure.
            return status == 0 ? .success(output) : .failure(.helperFailed("exit status \(status)"))
        } catch .timedOut {
            return .failure(.helperFailed("it took longer than \(milliseconds / 1_000) s"))
        } catch .tooMuch {
            return .failure(.helperFailed("it wrote more than \(HelperProtocol.answerLimit) bytes"))
        } catch {
            return .failure(.helperFailed("could not run it (\(error.text))"))
        }
    }
}
