import FoundationDouble
import LonghaulCore
import Testing

/// What is told of a simulated device, step by step.
protocol DeviceStory {
    var device: SimulatedDevice { get }
}

extension DeviceStory {
    /// Waits for a fact; nothing moves meanwhile.
    func wait(_ what: Comment, _ isTrue: () async throws -> Bool) async throws {
        for _ in 0..<30_000 {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record(what)
        throw TransferFailure(.timedOut, "it never came to that")
    }

    /// Lets the device go on until that is so.
    func go(_ what: Comment, until isTrue: () async throws -> Bool) async throws {
        try await wait(what) {
            if try await isTrue() { return true }
            // Whatever the rate limiter has put off may begin.
            device.pass(1)
            device.step()
            return false
        }
    }
}
