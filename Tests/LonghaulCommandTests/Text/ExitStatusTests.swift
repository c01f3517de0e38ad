import Glibc
import LonghaulCore
import Testing

@testable import LonghaulCommand

struct ExitStatusTests {
    @Test func differentFailuresHaveNoStatusOfTheirOwn() {
        #expect(ExitStatus.success.joined(with: .network) == .network)
        #expect(ExitStatus.network.joined(with: .success) == .network)
        #expect(ExitStatus.network.joined(with: .network) == .network)
        #expect(ExitStatus.network.joined(with: .tls) == .mixed)
        #expect(ExitStatus.mixed.joined(with: .tls) == .mixed)
    }

    private func document() throws -> [Substring] {
        try documentLines("docs/exit-codes.md")
    }

    @Test func theManualPageHasTheStatusesOfTheDocument() throws {
        let rows = try document().drop { $0 != "|---|---|" }.dropFirst().prefix { $0.hasPrefix("|") }
        let documented = rows.compactMap { $0.split(separator: "|").first }.map { $0.filter { $0 != " " } }
        #expect(ManualPage.exitStatus.map { $0.number.filter { $0 != " " } } == documented.map { String($0) })
        #expect(documented.count == 17)
    }

    /// The document is what people and scripts rely on.
    @Test func theDocumentListsEveryCodeWithItsStatus() throws {
        let document = try document()
        for code in FailureCode.allCases {
            let row = document.first { $0.contains("| `\(code.rawValue)` |") }
            #expect(row?.hasSuffix("| \(ExitStatus(code).number) |") == true, "\(code)")
        }
    }
}
