package import Testing

/// Runs each test of a suite once for every transport, and notes in the matrix how that went. What a transport cannot
/// have stands in `MatrixHoles`.
package struct EachTransport: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for transport in Transport.allCases {
            try await Self.run(test, over: transport, function)
        }
    }

    /// Runs a case of a test over one transport, unless the table of holes says why not. A `variant` has a row of its own in
    /// the matrix.
    package static func run(
        _ test: Test, over transport: Transport, variant: String = "", _ body: @Sendable () async throws -> Void
    ) async throws {
        let name = test.id.nameComponents.joined(separator: ".").replacing(/\(.*\)$/, with: "")
        let row = "\(test.id.moduleName).\(name)\(variant.isEmpty ? "" : ", \(variant)")"
        if let reason = MatrixHoles.reason(test: name, transport: transport) {
            return MatrixLog.note(row, transport, .notHere(reason))
        }
        let hasFailed = Monitor(false)
        let watch = IssueHandlingTrait.compactMapIssues { issue in
            if issue.isFailure { hasFailed.update { $0 = true } }
            var issue = issue
            issue.comments.append("over \(transport)")
            return issue
        }
        do {
            try await Transport.$current.withValue(transport) {
                try await watch.provideScope(for: test, testCase: nil, performing: body)
            }
        } catch {
            MatrixLog.note(row, transport, .failed)
            throw error
        }
        MatrixLog.note(row, transport, hasFailed.value ? .failed : .passed)
    }
}

extension Trait where Self == EachTransport {
    package static var onEachTransport: Self { EachTransport() }
}
