import LonghaulCore
import LonghaulIPC
import SocketTestSupport
import Testing

@Suite struct FrameTests {
    private let envelope = ClientEnvelope(request: 7, message: .hello(version: 1, program: "test"))

    private func reader(fedWith bytes: some Sequence<UInt8>, limit: Int = Frame.limit) -> FrameReader {
        var reader = FrameReader(limit: limit)
        Array(bytes).withUnsafeBytes { reader.append($0) }
        return reader
    }

    @Test func aFrameIsItsLengthItsVersionAndItsMessage() throws {
        let frame = try Frame.bytes(of: envelope)
        #expect(frame == [0x0D, 0, 0, 0, 0x01, 0x08, 0x07, 0x12, 0x08, 0x08, 0x02, 0x12, 0x04, 0x74, 0x65, 0x73, 0x74])
    }

    /// The examples of docs/internals/ipc-protocol.md.
    @Test func theDocumentedBytesAreSent() throws {
        let program = Array("longhauld 0.1.0".utf8)
        let welcome = ServiceEnvelope(request: 7, message: .welcome(version: 1, program: "longhauld 0.1.0"))
        #expect(
            try Frame.bytes(of: welcome)
                == [0x18, 0, 0, 0, 0x01, 0x08, 0x07, 0x12, 0x13, 0x08, 0x02, 0x12, 0x0F] + program)
        let status = ClientEnvelope(request: 8, message: .status)
        #expect(try Frame.bytes(of: status) == [0x05, 0, 0, 0, 0x01, 0x08, 0x08, 0x3A, 0x00])
        let stop = ClientEnvelope(request: 9, message: .stop)
        #expect(try Frame.bytes(of: stop) == [0x05, 0, 0, 0, 0x01, 0x08, 0x09, 0x42, 0x00])
    }

    @Test func everyPrefixOfAFrameIsWaitedFor() throws {
        let frame = try Frame.bytes(of: envelope)
        for count in 0..<frame.count {
            var reader = reader(fedWith: frame[..<count])
            #expect(try reader.next() == nil)
            #expect(reader.hasBegunFrame == (count > 0))
            frame[count...].withUnsafeBytes { reader.append($0) }
            #expect(try ClientEnvelope.decoded(wireBytes: #require(try reader.next())) == envelope)
            #expect(!reader.hasBegunFrame)
        }
    }

    @Test func wantedBytesStayWithinFrame() throws {
        let frame = try Frame.bytes(of: envelope)
        var (reader, count, reads) = (FrameReader(), 0, 0)
        while try reader.next() == nil {
            let wanted = reader.bytesWanted
            #expect(count + wanted <= frame.count)
            frame[count..<(count + wanted)].withUnsafeBytes { reader.append($0) }
            (count, reads) = (count + wanted, reads + 1)
        }
        #expect(count == frame.count)
        #expect(reads == 2)
    }

    @Test func framesThatArriveTogetherComeOutOneByOne() throws {
        let frames = try (1...5).map { try Frame.bytes(of: ClientEnvelope(request: $0, message: .status)) }
        var reader = reader(fedWith: frames.joined())
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(try ClientEnvelope.decoded(wireBytes: #require(try reader.next())).request == number)
        }
        #expect(try reader.next() == nil)
    }

    @Test func aLengthBeyondTheLimitIsRefusedBeforeItsBytesCome() {
        var reader = reader(fedWith: [0x01, 0x04, 0, 0], limit: 1_024)
        #expect(throws: FrameFault.tooLarge(1_025)) { try reader.next() }
    }

    @Test func aFrameAsLargeAsTheLimitPasses() throws {
        let body = [UInt8](repeating: 0, count: 1_023)
        var reader = reader(fedWith: [0x00, 0x04, 0, 0, 1] + body, limit: 1_024)
        #expect(try reader.next() == body)
    }

    @Test func anotherVersionIsRefusedAtItsFirstByte() {
        var reader = reader(fedWith: [0xFF, 0, 0, 0, 2])
        #expect(throws: FrameFault.version(2)) { try reader.next() }
    }

    @Test func aFrameWithoutAVersionIsRefused() {
        var reader = reader(fedWith: [0, 0, 0, 0])
        #expect(throws: FrameFault.empty) { try reader.next() }
    }

    @Test func aMessageLargerThanAFrameIsNotSent() {
        let error = #expect(throws: TransferFailure.self) {
            try Frame.bytes(of: envelope, limit: 8)
        }
        #expect(error?.code == .messageTooLarge)
    }
}
