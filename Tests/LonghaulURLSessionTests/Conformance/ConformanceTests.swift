import TestSupport
import Testing

/// Each reference system has one source, which runs in every environment with the same checks.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct LinuxConformanceTests {
    @Test(arguments: ConformanceCase.all([.service, .inProcess]))
    func systemEndsAsStated(_ combination: ConformanceCase) async throws { try await combination.run() }

    @Test(
        .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"),
        arguments: ConformanceCase.all([.service, .inProcess], onFullStorage: true))
    func systemEndsAsStatedOnFullStorage(_ combination: ConformanceCase) async throws { try await combination.run() }
}

extension AppleSystems {
    @Suite struct ConformanceTests {
        @Test(arguments: ConformanceCase.all([.device]))
        func systemEndsAsStated(_ combination: ConformanceCase) async throws { try await combination.run() }

        @Test(
            .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"),
            arguments: ConformanceCase.all([.device], onFullStorage: true))
        func systemEndsAsStatedOnFullStorage(_ combination: ConformanceCase) async throws {
            try await combination.run()
        }
    }
}
