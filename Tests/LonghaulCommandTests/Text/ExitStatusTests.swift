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

    /// The manual page and the reference list these numbers.
    @Test func eachStatusHasAMeaning() throws {
        let source = try documentText("Sources/LonghaulCommand/ExitStatus.swift")
        let numbers = source.matches(of: /ExitStatus\(number: (\d+)\)/).map { String($0.output.1) }
        let listed = ManualPage.exitStatus.flatMap { $0.number.split(separator: ", ").map(String.init) }
        #expect(numbers.count == 19)
        #expect(Set(listed) == Set(numbers))
        #expect(listed.count == numbers.count)
    }
}
