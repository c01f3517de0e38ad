import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

/// Lives of an app in random order. `LONGHAUL_TEST_WALKS` says how many, and `LONGHAUL_TEST_SEED` which is the first.
extension AppleSystems {
    @Suite struct WalkTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let count = environment["LONGHAUL_TEST_WALKS"].flatMap(UInt64.init) ?? 100
        private static let first = environment["LONGHAUL_TEST_SEED"].flatMap(UInt64.init) ?? 1

        @Test func whateverHappensNothingIsDoneTwiceAndNothingIsMixed() async throws {
            for seed in Self.first..<(Self.first + Self.count) {
                var walk = try DeviceWalk(seed: seed)
                do { try await walk.run() } catch {
                    let diary = walk.world.device.diary.joined(separator: "\n")
                    Issue.record("with seed \(seed): \(error); what happened:\n\(diary)")
                }
            }
        }
    }
}
