import FoundationDouble
import LonghaulCore
import Testing

/// A scenario on a simulated device, step by step.
protocol DeviceStory {
    var device: SimulatedDevice { get }
}

extension DeviceStory {
    /// Waits for a condition; the device does not advance meanwhile.
    func wait(_ what: Comment, _ isTrue: () async throws -> Bool) async throws {
        for _ in 0..<30_000 {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record(what)
        throw TransferFailure(.timedOut, "it never came to that")
    }

    /// Advances the device until the condition holds.
    func go(_ what: Comment, until isTrue: () async throws -> Bool) async throws {
        try await wait(what) {
            if try await isTrue() { return true }
            // Tasks that the rate limiter delayed may start.
            device.pass(1)
            device.step()
            return false
        }
    }

    /// Returns the failure of a call; `nil` if it succeeds.
    func failure(of call: () async throws -> Void) async -> TransferFailure? {
        do {
            try await call()
            return nil
        } catch {
            return error as? TransferFailure
        }
    }
}
