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

    /// The document is what people and scripts rely on.
    @Test func theDocumentListsEveryCodeWithItsStatus() throws {
        let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let document = String(
            decoding: try LocalFiles.readAll("/" + folder + "/docs/exit-codes.md", limit: 1 << 20), as: UTF8.self)
        for code in FailureCode.allCases {
            let row = document.split(separator: "\n").first { $0.contains("| `\(code.rawValue)` |") }
            #expect(row?.hasSuffix("| \(ExitStatus(code).number) |") == true, "\(code)")
        }
    }
}
