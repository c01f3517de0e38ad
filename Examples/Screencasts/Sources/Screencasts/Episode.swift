import DesktopKit
import FoundationEssentials

/// An episode of the feed.
nonisolated struct Episode: Equatable, Sendable {
    /// The identifier in the feed, which is also the key of the download. URLs may change; the identifier does not.
    var id: String
    var title: String
    var date: String
    var url: String
    var size: Int64?
    var seconds: Int64?

    /// The name of the downloaded file.
    var fileName: String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let lastSegment = path.split(separator: "/").last ?? ""
        let ending = lastSegment.contains(".") ? "." + (lastSegment.split(separator: ".").last ?? "") : ""
        let name = title.drop { $0 == "." }.map { $0 == "/" || $0 == "\0" ? "-" : String($0) }.joined()
        return String((name.isEmpty ? "episode" : name).prefix(60)) + ending.prefix(8)
    }
}

/// A feed of screencasts: JSON Feed 1.1 (jsonfeed.org). The first attachment of an item is its video.
nonisolated struct Feed: Equatable, Sendable {
    /// The URL of the feed, for updates.
    var url: String?
    var episodes: [Episode]

    /// Parses a feed. Omits items without a video.
    @concurrent init(json: [UInt8]) async throws {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
            throw TransferFailure(.protocolViolation, tr("This is not a JSON Feed. Open another one."))
        }
        url = document.feed_url
        episodes = document.items.compactMap { item in
            item.attachments?.first.map { video in
                Episode(
                    id: item.id, title: item.title ?? item.id, date: String((item.date_published ?? "").prefix(10)),
                    url: video.url, size: video.size_in_bytes, seconds: video.duration_in_seconds.map { Int64($0) })
            }
        }
    }

    /// The members of the format that the app uses, with their names in JSON.
    private struct Document: Decodable {
        struct Item: Decodable {
            var id: String
            var title: String?
            var date_published: String?
            var attachments: [Attachment]?
        }

        struct Attachment: Decodable {
            var url: String
            var size_in_bytes: Int64?
            var duration_in_seconds: Double?
        }

        var feed_url: String?
        var items: [Item]
    }
}
