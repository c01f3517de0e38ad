import Foundation
import LonghaulCore

/// The use of a body, as the system delivers it, for a download.
///
/// URLSession removes the content coding of each body, and leaves the headers of the coded body in the response
/// (https://github.com/dotnet/macios/issues/24924). Some servers send coded bodies although the request asks for `identity`, such as
/// objects that are stored compressed.
enum DeliveredBody {
    /// The response describes the delivered body.
    case usable(ResponseHead)
    case refused(DownloadVerdict.Refusal)
    case failed(TransferFailure)

    /// `isProvenByDigest`: the transfer or the server has stated a digest of the file.
    init(_ head: ResponseHead, isProvenByDigest: Bool) {
        guard head.isSuccess, let coding = head.removedCoding else {
            self = .usable(head)
            return
        }
        if head.status == 206 {
            self = .refused(.rangeUnusable("The system has removed its content coding (\(coding))."))
        } else if isProvenByDigest {
            self = .failed(
                TransferFailure(
                    .digestMismatch,
                    "The server sends the file with the content coding \(coding), which the system removes. A digest is that of the coded file, so it cannot be checked. Store the file without a content coding, or remove the digest."
                ))
        } else {
            self = .usable(head.ofDecodedBody)
        }
    }
}

extension ResponseHead {
    /// The content coding that the system has removed; `nil` if the body is as the server sent it. Each coding counts, because a later
    /// system may know more of them.
    var removedCoding: String? {
        let codings = headers.all("Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Headers about the bytes of the coded body, and the time of the response, by which `Last-Modified` proves a version.
    private static let ofCodedBody: Set = [
        "content-length", "content-range", "accept-ranges", "repr-digest", "content-digest", "digest", "content-md5",
        "date",
    ]

    /// The response as from a server that sends the decoded body without a length. Offsets of the server are those of the coded body, so
    /// nothing may resume from the decoded one: a weak tag and a date of unknown age prove no version (`ResumeLadder`).
    fileprivate var ofDecodedBody: ResponseHead {
        var head = self
        head.headers.removeAll { Self.ofCodedBody.contains($0.name.lowercased()) }
        for index in head.headers.indices where head.headers[index].isNamed("ETag") {
            let tag = head.headers[index].value
            if !tag.hasPrefix("W/") { head.headers[index] = HeaderField("ETag", "W/" + tag) }
        }
        return head
    }
}
