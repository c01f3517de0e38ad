import Foundation
import Longhaul
import LonghaulCore
import LonghaulFoundation
import Testing

@Suite struct TransferIDTests {
    private let id = TransferID(high: 0x0123_4567_89AB_7DEF, low: 0x8123_4567_89AB_CDEF)
    private let text = "01234567-89ab-7def-8123-456789abcdef"

    @Test func identifierIsTextAndUUID() throws {
        #expect(id.description == text && TransferID(text) == id && TransferID(String(id)) == id)
        #expect(UUID(id).uuidString.lowercased() == text && TransferID(UUID(id)) == id)
    }

    @Test func identifierIsCodedAsText() throws {
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONDecoder().decode([TransferID].self, from: json) == [id])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TransferID].self, from: Data("[\"film\"]".utf8))
        }
    }

    @Test func statesAreSentences() {
        let failure = TransferFailure(.notFound, "There is no such file.")
        let now = WallTime(seconds: 1_800_000_000)
        #expect("\(TransferState.failed(failure))" == "Failed: There is no such file.")
        #expect("\(TransferState.running(.receiving))" == "Receiving.")
        #expect("\(TransferState.waiting(Waiting(.metered, since: now)))" == "Waiting for an unmetered network.")
        let retry = Waiting(.retry, since: now, failure: failure)
        #expect("\(retry)" == "Waiting to retry. There is no such file.")
        let sentences = Waiting.Reason.allCases.map { "\(Waiting($0, since: now))" }
        #expect(Set(sentences).count == sentences.count)
    }
}
