import Glibc
package import Testing

/// Runs each test of a suite once for every transport, and records the results in the matrix. `MatrixHoles` lists the
/// exceptions.
package struct EachTransport: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    /// Whether the running test has a place in the matrix.
    @TaskLocal private static var hasPlace = false

    /// All bodies go through libcurl here, which makes no difference for encrypted ones.
    private static let isPlainAlone = getenv("LONGHAUL_PATHS").map { String(cString: $0) == "plain" } ?? false

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for transport in Transport.allCases {
            try await Self.run(test, over: transport, function)
        }
    }

    /// Runs a case of a test over one transport, unless `MatrixHoles` lists it. A `variant` has a separate row in the
    /// matrix.
    package static func run(
        _ test: Test, over transport: Transport, variant: String = "", _ body: @Sendable () async throws -> Void
    ) async throws {
        let row = row(test) + (variant.isEmpty ? "" : ", \(variant)")
        if let reason = MatrixHoles.reason(row: row, transport: transport) {
            return MatrixLog.record(row, "\(transport)", .notHere(reason))
        }
        if isPlainAlone, transport.isSecure {
            let reason = "encrypted bodies also go through libcurl in the first run"
            return MatrixLog.record(row, "\(transport)", .notHere(reason))
        }
        try await record(row, "\(transport)", of: test) {
            try await Transport.$current.withValue(transport, operation: body)
        }
    }

    /// The running test, if it has no place in the matrix: a test that uses HTTP must have one.
    static var unplaced: String? { hasPlace ? nil : Test.current.map { row($0) } }

    fileprivate static func row(_ test: Test) -> String {
        "\(test.id.moduleName).\(test.id.nameComponents.joined(separator: "."))".replacing(/\(.*\)$/, with: "")
    }

    /// Runs a case, and records its result in the matrix.
    fileprivate static func record(
        _ row: String, _ column: String, of test: Test, _ body: @Sendable () async throws -> Void
    ) async throws {
        let hasFailed = Monitor(false)
        let watch = IssueHandlingTrait.compactMapIssues { issue in
            if issue.isFailure { hasFailed.update { $0 = true } }
            var issue = issue
            issue.comments.append("over \(column)")
            return issue
        }
        do {
            try await $hasPlace.withValue(true) {
                try await watch.provideScope(for: test, testCase: nil, performing: body)
            }
        } catch {
            MatrixLog.record(row, column, .failed)
            throw error
        }
        MatrixLog.record(row, column, hasFailed.value ? .failed : .passed)
    }
}

/// Records the tests over HTTP/3 in the matrix. The tests' own server does not support HTTP/3, so these tests have a real server in front
/// of it.
package struct OverHTTP3: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await EachTransport.record(EachTransport.row(test), "HTTP/3", of: test, function)
    }
}

extension Trait where Self == OverHTTP3 {
    package static var overHTTP3: Self { OverHTTP3() }
}

extension Trait where Self == EachTransport {
    package static var onEachTransport: Self { EachTransport() }
}
