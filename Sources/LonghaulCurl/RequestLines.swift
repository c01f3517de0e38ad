import LonghaulCore

/// The lines of a request's head that libcurl does not write by itself, or writes otherwise.
enum RequestLines {
    /// `nil` when a field would break out of its line.
    static func make(for exchange: Exchange, sendsWhole: Bool) -> [String]? {
        var lines: [String] = []
        let headers = exchange.identity.fields(method: exchange.machine.method, url: exchange.url)
        for field in headers {
            guard (field.name + field.value).utf8.allSatisfy({ $0 != 13 && $0 != 10 && $0 != 0 }) else { return nil }
            lines.append(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
        }
        // libcurl would call it a form.
        if sendsWhole, headers.all("Content-Type").isEmpty { lines.append("Content-Type:") }
        guard let body = exchange.body else { return lines }
        // A body whose length it does not know libcurl would send in chunks.
        if exchange.mayWithholdBytes { lines += ["Content-Length: \(body.length)", "Transfer-Encoding:"] }
        if exchange.machine.expectsContinue() {
            // HTTP/2 has no use for it, and what https will speak is not known yet.
            if exchange.url.scheme == "http" { lines.append("Expect: 100-continue") }
        } else {
            // Left to itself, libcurl 7 adds the field to every body on HTTP/1.1, and libcurl 8 to those above a megabyte.
            lines.append("Expect:")
        }
        return lines
    }
}
