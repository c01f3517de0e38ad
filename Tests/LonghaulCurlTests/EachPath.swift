import LonghaulCurl
import TestSupport
import Testing

/// Runs each test of a suite over every transport, once for every path that a body can take there: the rules of a
/// body's end, of ranges, and of early responses apply on all of them.
struct EachPath: SuiteTrait, TestTrait, TestScoping {
    /// The rule of new engines.
    @TaskLocal static var rule = BodyPathRule()

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for transport in Transport.allCases {
            try await EachTransport.run(test, over: transport) {
                try await Self.run(function, on: Self.rules(of: transport))
            }
        }
    }

    private static func run(_ function: @Sendable () async throws -> Void, on rules: [BodyPathRule]) async throws {
        for rule in rules { try await $rule.withValue(rule, operation: function) }
    }

    private static func rules(of transport: Transport) -> [BodyPathRule] {
        switch transport {
        case .http1: [BodyPathRule(), .libcurl, .writer, .takeOver]
        // Encrypted bodies stay in libcurl.
        case .secureHTTP1, .http2: [BodyPathRule(), .writer]
        }
    }
}

extension Trait where Self == EachPath {
    static var onEachPath: Self { EachPath() }
}

extension BodyPathRule {
    /// libcurl moves all bodies, and the network thread writes.
    static var libcurl: BodyPathRule {
        var rule = BodyPathRule()
        rule.takesOver = false
        rule.sendsFiles = false
        rule.handsOver = false
        return rule
    }

    /// libcurl moves all bodies, and separate threads write, even short ones.
    static var writer: BodyPathRule {
        var rule = libcurl
        rule.handsOver = true
        rule.longestGathered = -1
        rule.shortestTakenOver = 0
        return rule
    }

    /// The engine moves all bodies that it can, even short ones; libcurl gets few of them.
    static var takeOver: BodyPathRule {
        var rule = BodyPathRule()
        rule.longestGathered = -1
        rule.shortestTakenOver = 1
        rule.receiveBuffer = 1_024
        return rule
    }
}
