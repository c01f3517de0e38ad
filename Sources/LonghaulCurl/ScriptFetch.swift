import CCurl
import LonghaulCore
import LonghaulSystem

/// Downloads a short file over HTTP on the calling thread, without a proxy, before an exchange can start.
final class ScriptFetch {
    private var bytes: [UInt8] = []
    private let limit: Int

    private init(limit: Int) {
        self.limit = limit
    }

    static func get(_ url: String, named name: String, limit: Int) throws(TransferFailure) -> [UInt8] {
        guard let share = ConnectionShare(), let easy = EasyHandle(buffer: .usual, share: share) else {
            throw TransferFailure(.proxyFailed, "Could not download the proxy script \(name): out of memory.")
        }
        let fetch = ScriptFetch(limit: limit)
        easy.set(CURLOPT_URL, url)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 1)
        easy.set(CURLOPT_MAXREDIRS, 5)
        easy.set(CURLOPT_FAILONERROR, 1)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_TIMEOUT_MS, 10_000)
        // The script itself cannot decide how it is downloaded.
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_WRITEFUNCTION, keepScript)
        easy.set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(fetch).toOpaque())
        let code = easy.refusal ?? withExtendedLifetime(fetch) { curl_easy_perform(easy.raw) }
        guard code == CURLE_OK else {
            // The host of the last redirect is unknown, so the first URL's host is used.
            if code == CURLE_COULDNT_RESOLVE_HOST, let host = (try? TransferURL(parsing: url))?.host,
                NameLookup.inUTF8(host) != .unknown
            {
                var failure = NameLookups.Host(name: host).unanswered
                failure.origin = .curl(Int(code.rawValue))
                throw failure
            }
            let status = easy.long(CURLINFO_RESPONSE_CODE)
            let reason = status >= 400 ? "HTTP status \(status)" : String(cString: curl_easy_strerror(code))
            throw TransferFailure(
                .proxyFailed, "Could not download the proxy script \(name): \(reason).",
                origin: .curl(Int(code.rawValue)))
        }
        return fetch.bytes
    }

    fileprivate func receive(_ part: UnsafeRawBufferPointer) -> Int {
        // libcurl ends the transfer if bytes are not taken.
        guard bytes.count + part.count <= limit else { return 0 }
        bytes += part
        return part.count
    }
}

private func keepScript(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    return Unmanaged<ScriptFetch>.fromOpaque(context).takeUnretainedValue()
        .receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
}
