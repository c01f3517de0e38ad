import LonghaulCore
import Testing

/// A message that holds itself: no message of ours does, so only it can go too deep.
private struct Nested: WireMessage, Equatable {
    var inner: [Nested] = []

    init(depth: Int) {
        if depth > 0 { inner = [Nested(depth: depth - 1)] }
    }

    func encode(into writer: inout WireWriter) {
        writer.messages(inner, at: 1)
    }

    static func decoded(from reader: inout WireReader) throws(WireError) -> Self { try Self(from: &reader) }

    init(from reader: inout WireReader) throws(WireError) {
        while let field = try reader.nextField() {
            if field == 1 { inner.append(try reader.message()) } else { try reader.skip() }
        }
    }
}

private let garbage: [([UInt8], WireError)] = [
    ([0x80], WireError.truncated),
    ([0x78], .truncated),
    ([0x0A, 0x05, 0x61], .truncated),
    ([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated),
    ([0x79, 1, 2, 3], .truncated),
    ([0x00, 0x01], .malformed),
    ([0x0B], .malformed),
    ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], .malformed),
    ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], .malformed),
    ([0x08, 0x01], .wrongType),
    ([0x0A, 0x01, 0xFF], .invalidText),
]

@Suite struct WireReaderTests {
    @Test(arguments: garbage)
    func garbageIsNamed(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try MetadataPair.decoded(wireBytes: bytes) }
    }

    @Test func aValueOfAnEnumerationThatIsNotKnownIsRefused() {
        #expect(throws: WireError.unknownValue) { try Digest.decoded(wireBytes: [0x08, 0x04]) }
        #expect(throws: WireError.unknownValue) {
            try Digest.decoded(wireBytes: [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])
        }
    }

    @Test func aCaseThatIsNotKnownIsRefused() {
        #expect(throws: WireError.unknownValue) { try TransferState.decoded(wireBytes: [0x42, 0x00]) }
        #expect(throws: WireError.unknownValue) { try TransferState.decoded(wireBytes: []) }
    }

    @Test func aFailureCodeThatIsNotKnownIsRefused() {
        #expect(throws: WireError.unknownValue) {
            try TransferFailure.decoded(wireBytes: [0x0A, 0x03, 0x6E, 0x65, 0x77, 0x1A, 0x00])
        }
    }

    @Test func aMissingPartIsNamed() {
        #expect(throws: WireError.missingValue) { try SourceFile.decoded(wireBytes: [0x0A, 0x01, 0x61]) }
    }

    @Test func depthIsBounded() throws {
        #expect(try Nested.decoded(wireBytes: Nested(depth: 16).wireBytes) == Nested(depth: 16))
        #expect(throws: WireError.excessive) { try Nested.decoded(wireBytes: Nested(depth: 17).wireBytes) }
    }

    @Test func theNumberOfMessagesIsBounded() throws {
        let most = 1 << 20
        let bytes = Array(repeatElement([0x0A, 0x00] as [UInt8], count: most).joined())
        #expect(try Nested.decoded(wireBytes: bytes).inner.count == most)
        #expect(throws: WireError.excessive) { try Nested.decoded(wireBytes: bytes + [0x0A, 0x00]) }
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 2_097_152])
    func lengthsOfEverySizeAreWritten(length: Int) throws {
        let response = ResponseSummary(
            status: 200, headers: [], body: [UInt8](repeating: 7, count: length), isTruncated: false)
        var facts = TransferFacts(createdAt: WallTime(seconds: 1), deadline: WallTime(seconds: 2))
        facts.response = response
        #expect(try TransferFacts.decoded(wireBytes: facts.wireBytes).response == response)
    }
}
