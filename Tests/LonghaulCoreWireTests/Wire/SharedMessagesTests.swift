import LonghaulCore
import Testing

/// Records with equal options share them, whatever came before.
@Suite struct SharedMessagesTests {
    /// The draws repeat options, and differ in one byte or in their length.
    private func specs() -> [TransferSpec] {
        var chance = Chance(.any, seed: 1)
        return (0..<400).map { number in
            var spec = TransferSpec(
                work: .request(body: []), method: "POST", url: "http://h.example/\(number)")
            spec.options.priority = chance.below(3)
            if chance.flag() { spec.options.key = "ab" }
            if chance.flag() { spec.network.redirectLimit = chance.below(3) }
            return spec
        }
    }

    @Test func sharedRecordsAreTheSameBytes() throws {
        let shared = SharedMessages()
        var writer = WireWriter(shared: shared)
        for spec in specs() {
            writer.reset()
            spec.encode(into: &writer)
            #expect(writer.bytes == spec.wireBytes)
            let read = try writer.bytes.withUnsafeBytes { try TransferSpec.decoded(wireBytes: $0, shared: shared) }
            #expect(read == spec)
        }
    }

    /// A copy encodes the value that it has by then.
    @Test func changedCopyEncodesItsNewValue() throws {
        let shared = SharedMessages()
        let bytes = specs()[0].wireBytes
        let first = try bytes.withUnsafeBytes { try TransferSpec.decoded(wireBytes: $0, shared: shared) }
        var second = try bytes.withUnsafeBytes { try TransferSpec.decoded(wireBytes: $0, shared: shared) }
        second.options.priority = 7
        var writer = WireWriter(shared: shared)
        second.encode(into: &writer)
        #expect(writer.bytes == second.wireBytes && second.options.priority == 7)
        #expect(first == (try TransferSpec.decoded(wireBytes: bytes)))
    }

    @Test func transfersOfOneListKeepTheirOptions() throws {
        let command = SessionCommand.submit(specs())
        #expect(try SessionCommand.decoded(wireBytes: command.wireBytes) == command)
    }
}
