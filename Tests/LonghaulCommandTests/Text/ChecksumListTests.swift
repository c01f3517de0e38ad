import LonghaulCore
import Testing

@testable import LonghaulCommand

struct ChecksumListTests {
    private let one = String(repeating: "1a", count: 32)
    private let two = String(repeating: "2b", count: 32)

    private func digest(_ list: String, _ path: String) -> Digest? { ChecksumList(list).digest(ofFileAt: path) }

    private func sha256(_ hex: String) -> Digest? { Digest(algorithm: .sha256, hexadecimal: hex) }

    @Test func theLineOfTheFileIsFound() {
        let list = "# sums\n\(one)  other.iso\n\(two) *disk.iso\r\n\nnonsense disk.iso\n"
        #expect(digest(list, "/cd/disk.iso") == sha256(two))
        #expect(digest(list, "/cd/none.iso") == nil)
        #expect(digest("SHA256 (a b (1).iso) = \(one)", "/a b (1).iso") == sha256(one))
        #expect(digest("\(one)\n", "/disk.iso") == sha256(one), "a digest alone is that of the file beside it")
    }

    /// An error page, a compressed list, and checksums of an algorithm that is not supported.
    @Test(arguments: [
        "", "<!DOCTYPE html><title>Sign in</title>", "\u{1f}\u{8b}\u{8}", "3c2f9a 5 f\n", "# only a comment\n",
    ])
    func unreadableListIsNotAMissingChecksum(text: String) {
        #expect(throws: TransferFailure.self) { try ChecksumList(reading: Array(text.utf8)) }
    }

    @Test func listOfWindowsIsRead() throws {
        let text = "\(one)  disk.iso\r\n\(two)  other.iso\r\n"
        let units = Array(text.utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
        let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        for bytes in [little, big, marked] {
            let list = try ChecksumList(reading: bytes)
            #expect(
                list.digest(ofFileAt: "/disk.iso") == sha256(one) && list.digest(ofFileAt: "/other.iso") == sha256(two))
        }
    }

    @Test func digestLengthSelectsAlgorithm() {
        for algorithm in [Digest.Algorithm.md5, .sha1, .sha256, .sha512] {
            let hex = String(repeating: "0c", count: algorithm.byteCount)
            #expect(digest("\(hex)  f", "/f") == Digest(algorithm: algorithm, hexadecimal: hex))
        }
        #expect(digest("\(one)00  f", "/f") == nil)
    }

    @Test func ofSeveralTheOneInTheSamePlaceCounts() {
        let list = "\(one)  ./amd64/f\n\(two)  arm64/f\n"
        #expect(digest(list, "/pool/amd64/f") == sha256(one) && digest(list, "/pool/arm64/f") == sha256(two))
        #expect(digest(list, "/pool/f") == nil, "the name is ambiguous")
    }
}
