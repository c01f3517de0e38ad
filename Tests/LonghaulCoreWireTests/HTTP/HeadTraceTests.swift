import LonghaulCore
import Testing

/// Headers as they are displayed.
@Suite struct HeadTraceTests {
    private func trace(sent: String = "", received: [String] = []) -> [String] {
        var trace = HeadTrace()
        Array(sent.utf8).withUnsafeBytes { trace.sent($0) }
        for line in received { Array(line.utf8).withUnsafeBytes { trace.received($0) } }
        return trace.next()?.split(separator: "\n").map(String.init) ?? []
    }

    @Test func traceLinesShowDirection() {
        let lines = trace(
            sent: "GET /f HTTP/1.1\r\nHost: h.example:8080\r\nRange: bytes=5-\r\n\r\n",
            received: ["HTTP/1.1 206 Partial Content\r\n", "ETag: \"v1\"\r\n", "\r\n"])
        #expect(
            lines == [
                "> GET /f HTTP/1.1", "> Host: h.example:8080", "> Range: bytes=5-", "< HTTP/1.1 206 Partial Content",
                "< ETag: \"v1\"",
            ])
    }

    @Test(arguments: [
        "GET /f?sig=opensesame HTTP/2", "Authorization: Bearer opensesame", "authorization: opensesame",
        "Cookie: a=opensesame",
        "X-Api-Key: opensesame", "Referer: https://ada:opensesame@h.example/",
        "CONNECT h.example:443 HTTP/1.1\r\nProxy-Authorization: Basic opensesame",
    ])
    func secretsAreStruckOut(head: String) {
        let sent = trace(sent: head + "\r\n\r\n")
        #expect(!sent.isEmpty && !sent.contains { $0.contains("opensesame") }, "\(sent)")
    }

    @Test(arguments: ["Set-Cookie: id=opensesame", "Location: https://h.example/f?X-Amz-Signature=opensesame"])
    func alsoThoseOfServers(line: String) {
        let received = trace(received: [line + "\r\n"])
        #expect(!received.isEmpty && !received.contains { $0.contains("opensesame") }, "\(received)")
    }

    @Test func traceIsTakenOnceAndBounded() {
        var trace = HeadTrace()
        #expect(trace.next() == nil)
        let line = Array(("X: " + String(repeating: "a", count: 5_000)).utf8)
        for _ in 0..<500 { line.withUnsafeBytes { trace.received($0) } }
        let text = trace.next() ?? ""
        #expect(text.utf8.count < 210_000 && text.hasPrefix("< X: aaa"))
        #expect(trace.next() == nil)
    }
}
