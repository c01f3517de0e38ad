import Foundation
import FoundationDouble
import LonghaulCore
import TestSupport
import Testing

/// Random runs of an app without its adapters, which also leave parts of files as another engine would have left them. `LONGHAUL_TEST_WALKS` sets their number, and `LONGHAUL_TEST_SEED` the first one.
extension AppleSystems {
    @Suite struct WalkTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let count = environment["LONGHAUL_TEST_WALKS"].flatMap(UInt64.init) ?? 40
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
