import Foundation
import FoundationDouble
import TestSupport
import Testing

/// Random lives of an app. `LONGHAUL_TEST_WALKS` sets their number, and `LONGHAUL_TEST_SEED` the first one.
extension AppleSystems {
    @Suite struct LifeTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let count = environment["LONGHAUL_TEST_WALKS"].flatMap(UInt64.init) ?? 100
        private static let first = environment["LONGHAUL_TEST_SEED"].flatMap(UInt64.init) ?? 1

        @Test func randomLivesKeepEveryPromise() async throws {
            for seed in Self.first..<(Self.first + Self.count) {
                let life = try await AppLife(LifePlan(seed: seed))
                do { try await life.run() } catch {
                    let diary = life.device.diary.joined(separator: "\n")
                    Issue.record("with seed \(seed): \(error); what happened:\n\(diary)")
                    try? await life.die()
                    return
                }
            }
        }
    }
}
