import Longhaul
import Testing

/// The library's names do not shadow the standard library's: importing it does not change an app's code.
@Suite struct StandardNamesTests {
    @Test func spansAreTheStandardLibrarys() {
        func sum(_ bytes: Span<UInt8>) -> Int {
            var sum = 0
            for index in bytes.indices { sum += Int(bytes[index]) }
            return sum
        }
        let bytes: [UInt8] = [1, 2, 3]
        #expect(sum(bytes.span) == 6)
    }

    @Test func timesAreDurations() {
        var options = TransferOptions()
        options.timeoutIntervalForResource = .seconds(1.5) + .milliseconds(500)
        #expect(options.timeoutIntervalForResource == Duration.seconds(2))
    }
}
