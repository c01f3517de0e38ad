import Glibc
import LonghaulCore
import TestSupport

extension Example {
    static let screencasts = Example(
        package: "Screencasts", program: "Screencasts", id: "io.longhaul.Screencasts")
}

/// A feed of screencasts, as `Examples/Screencasts` reads it.
struct EpisodeFeed {
    static let topics = [
        "Result Builders", "Actors from Scratch", "Parsing with Pratt", "Protocols at Runtime", "Typed Throws",
        "Noncopyable Types", "A Tiny Layout Engine", "Macros in Practice", "Testing without Mocks",
        "Key Paths Everywhere", "SQLite by Hand", "Swift on the Server", "Sendable Explained", "Regex Builders",
        "Custom Executors", "C Interop", "Building a Shell", "Property Wrappers", "Existentials", "Embedded Swift",
    ]

    /// Episodes by the addresses of their videos.
    let addresses: [String]
    let length: Int64

    /// Numbers start with 1.
    static func title(_ number: Int) -> String { "\(number). \(topics[(number - 1) % topics.count])" }

    var json: String {
        let items = addresses.enumerated().map { index, address in
            """
            {"id": "episode-\(index + 1)", "title": "\(Self.title(index + 1))", \
            "date_published": "2026-0\(1 + index / 28 % 9)-\(10 + index % 19)T10:00:00Z", "attachments": [{"url": "\(address)", \
            "mime_type": "video/mp4", "size_in_bytes": \(length), "duration_in_seconds": \(900 + index * 97 % 2_400)}]}
            """
        }
        return """
            {"version": "https://jsonfeed.org/version/1.1", "title": "Swift Screencasts", \
            "items": [\(items.joined(separator: ", "))]}
            """
    }
}

extension Desktop {
    /// Returns the path of a video in the app's directory.
    func video(_ name: String) -> String { product.home.path("Videos/Screencasts/" + name) }

    /// Starts the app with a feed that is a file.
    func startScreencasts(_ feed: EpisodeFeed, with variables: [String: String] = [:]) throws -> ChildProcess {
        try product.home.write(feed.json.utf8, to: "work/feed.json")
        return try start(.screencasts, product.home.path("work/feed.json"), with: variables)
    }

    /// Runs `longhaul` for this user.
    @discardableResult
    func longhaul(_ arguments: String...) async throws -> String {
        var call = product.call("longhaul", arguments)
        call.environment = environment
        let result = try await call.run()
        guard result.ending == .exited(0) else { throw TransferFailure(.internalFault, result.errorOutput) }
        return result.output
    }

    /// Returns the rows of a list: the text of each, by title.
    func rows(of list: String) async throws -> [String: String] {
        let lines = try await accessible("rows", Example.screencasts.program, list).split(separator: "\n")
        return lines.reduce(into: [:]) { rows, line in
            let texts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            // A non-breaking space separates a number from its unit.
            if texts.count == 2 { rows[String(texts[0])] = String(texts[1].map { $0 == "\u{A0}" ? " " : $0 }) }
        }
    }

    /// Waits until the row of an episode has the expected text.
    @discardableResult
    func row(_ number: Int, in list: String = "Downloads", until fits: (String) -> Bool) async throws -> String {
        var seen: String?
        let deadline = ContinuousClock.now + .patience
        while ContinuousClock.now < deadline {
            seen = try await rows(of: list)[EpisodeFeed.title(number)]
            if let seen, fits(seen) { return seen }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TransferFailure(.internalFault, "row \(number) says at last: \(seen ?? "nothing, no such row")")
    }
}
