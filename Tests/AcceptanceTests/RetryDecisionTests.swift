import LonghaulCore
import TestSupport
import Testing

/// Why a failed transfer is not retried: `show` reports what the service decided from the headers of the response.
@Suite(.onEachTransport) struct RetryDecisionTests {
    private static let statuses = [
        400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 423, 425, 429, 500, 501, 502, 503, 504, 507, 509,
    ]
    private static let headers = [
        [], [HeaderField("Retry-After", "1")],
        [HeaderField("X-RateLimit-Remaining", "0"), HeaderField("X-RateLimit-Reset", "1")],
    ]

    @Test func shownReasonIsThatOfTheDecision() async throws {
        let product = try Product()
        let server = try NastyServer(routes: [:])
        try product.home.write("x".utf8, to: "work/f")
        try await product.succeed("limits", "--total", "64", "--per-host", "64")
        for status in Self.statuses {
            for (number, headers) in Self.headers.enumerated() {
                let path = "/\(status)/\(number)"
                server.setRoute(path, .status(status, headers: headers))
                try await product.succeed("upload", "--detach", "--retry", "1", "f", server.url(path))
            }
        }
        _ = try await product.longhaul("watch")
        // The next service has only the store.
        try await product.killService()
        let ended = try await product.list("--all")
        #expect(ended.count == 60)
        for transfer in ended {
            let (url, id) = (transfer["url"] ?? "", try #require(transfer["id"]))
            let history = try await product.succeed("show", id)
            let show = JSONText(try await product.succeed("show", id, "--json"))
            let hasRetried = transfer["attempts"] == "2"
            #expect(transfer["state"] == "failed" && history.contains("Not retried"), "\(url)")
            let expected = hasRetried ? "triesUsedUp" : url.contains("/401/") ? "credentials" : "pointless"
            #expect(show["notRetriedBecause"] == expected, "\(url)")
            if url.contains("/509/") { #expect(hasRetried == !url.hasSuffix("/509/0"), "\(url)") }
        }
    }
}
