import LonghaulCore

/// The header lines of a request that libcurl does not write itself, or writes differently.
enum RequestLines {
    /// Returns `nil` if a header contains a line break or another control character: submissions are checked, but not the answer to a
    /// challenge, which repeats text of the server and a decoded login, and not the records of earlier versions.
    static func make(for exchange: Exchange, sendsWhole: Bool) -> [String]? {
        var lines: [String] = []
        let (method, url) = (exchange.machine.method, exchange.url)
        var headers = exchange.identity.fields(method: method, url: url)
        if !exchange.thread.ways.logins.isEmpty, url.scheme == "http",
            let proxy = exchange.plan.proxy(to: exchange.url),
            let answer = exchange.thread.ways.logins.header(for: proxy, method: method, url: url)
        {
            headers.append(answer)
        }
        guard OutgoingText.isHeaderValue(exchange.plan.network.userAgent ?? "") else { return nil }
        for field in headers {
            guard OutgoingText.isToken(field.name), OutgoingText.isHeaderValue(field.value) else { return nil }
            // libcurl removes its own header for `Name:`, and sends an empty one for `Name;`.
            let ending = field.isOmitted ? ":" : field.value.isEmpty ? ";" : ": " + field.value
            lines.append(field.name + ending)
        }
        // libcurl would add the content type of a form.
        if sendsWhole, headers.all("Content-Type").isEmpty { lines.append("Content-Type:") }
        guard let body = exchange.body else { return lines }
        // libcurl would use chunked encoding for a body of unknown length.
        if exchange.mayWithholdBytes { lines += ["Content-Length: \(body.length)", "Transfer-Encoding:"] }
        let omitsExpect = headers.contains { $0.isOmitted && $0.isNamed("Expect") }
        if !omitsExpect, exchange.machine.expectsContinue() {
            // HTTP/2 does not need the header, and the version for https is not known yet.
            if exchange.url.scheme == "http" { lines.append("Expect: 100-continue") }
        } else {
            // Otherwise, libcurl 7 adds the header to every body on HTTP/1.1, and libcurl 8 to those above a megabyte.
            lines.append("Expect:")
        }
        return lines
    }
}
