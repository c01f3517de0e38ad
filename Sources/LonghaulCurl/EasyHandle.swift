import CCrypto
import CCurl
import LonghaulCore

/// An easy handle of libcurl with its header list.
///
/// Options are set one after another. The first refusal is kept, so that `refusal` covers them all.
final class EasyHandle {
    /// The number of bytes that libcurl reads at once. libcurl 7 keeps the size that a handle was first given, so
    /// handles differ by it.
    enum Buffer: Equatable {
        case usual
        case large
        /// For a rate limit: bytes that one read receives beyond the limit cannot be returned.
        case limited(Int)

        var size: Int? {
            switch self {
            case .usual: nil
            case .large: 512 << 10
            case .limited(let rate): min(max(rate / 4, 1 << 10), 512 << 10)
            }
        }
    }

    let buffer: Buffer
    let raw: UnsafeMutableRawPointer
    private(set) var refusal: CURLcode?
    /// The share with other handles.
    private let share: ConnectionShare
    /// The multi handle while a transfer runs.
    private var multi: MultiHandle?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var body: UnsafeMutableRawBufferPointer?
    private var complaint: UnsafeMutablePointer<CChar>?

    init?(buffer: Buffer, share: ConnectionShare) {
        guard let raw = curl_easy_init() else { return nil }
        // No lookup in the share happens before a connection is made, so a refusal costs only a full handshake.
        longhaul_curl_set_pointer(raw, CURLOPT_SHARE, share.raw)
        self.raw = raw
        self.buffer = buffer
        self.share = share
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headers)
        body?.deallocate()
        complaint?.deallocate()
    }

    /// Starts the transfer. Returns `false` if memory is exhausted.
    func join(_ multi: MultiHandle) -> Bool {
        guard curl_multi_add_handle(multi.raw, raw) == CURLM_OK else { return false }
        multi.transfers += 1
        self.multi = multi
        return true
    }

    /// Ends the transfer.
    func detach() {
        guard let multi else { return }
        multi.streamHasMoved()
        let code = curl_multi_remove_handle(multi.raw, raw)
        precondition(code == CURLM_OK, "A transfer is removed once, outside callbacks: \(code.rawValue).")
        multi.transfers -= 1
        self.multi = nil
    }

    /// Whether the connection can carry other transfers too.
    var hasStreams: Bool { long(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0 }

    var speaksHTTP2: Bool { long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 }

    /// Records the connection of a response over HTTP/2.
    func recordStreams(on socket: Int32) {
        if speaksHTTP2 { multi?.recordStreams(on: socket) }
    }

    /// The transfer continues after a pause.
    func streamHasMoved() { multi?.streamHasMoved() }

    func shares(_ other: ConnectionShare) -> Bool { share === other }

    /// Resets the options to their defaults. Connections, DNS results, and TLS sessions remain.
    func reset() {
        curl_easy_reset(raw)
        curl_slist_free_all(headers)
        headers = nil
        body?.deallocate()
        body = nil
        complaint?.deallocate()
        complaint = nil
        refusal = nil
    }

    func set(_ buffer: Buffer) {
        if let size = buffer.size { set(CURLOPT_BUFFERSIZE, size) }
    }

    func set(_ option: CURLoption, _ value: Int) { recordError(longhaul_curl_set_long(raw, option, value)) }
    func set(_ option: CURLoption, offset: Int64) {
        recordError(longhaul_curl_set_offset(raw, option, curl_off_t(offset)))
    }
    func set(_ option: CURLoption, _ text: String) { recordError(longhaul_curl_set_string(raw, option, text)) }
    func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) {
        recordError(longhaul_curl_set_pointer(raw, option, pointer))
    }
    func set(_ option: CURLoption, _ function: @escaping curl_write_callback) {
        recordError(longhaul_curl_set_transfer(raw, option, function))
    }
    /// Clears an option's value, even its default.
    func clear(_ option: CURLoption) { recordError(longhaul_curl_set_pointer(raw, option, nil)) }
    func setSeek(_ function: @escaping curl_seek_callback) { recordError(longhaul_curl_set_seek(raw, function)) }
    func setSpy(_ function: @escaping curl_debug_callback, _ context: UnsafeMutableRawPointer) {
        recordError(longhaul_curl_set_debug(raw, function, context))
    }
    func setSocketOption(_ function: @escaping curl_sockopt_callback) {
        recordError(longhaul_curl_set_sockopt(raw, function))
    }
    func setBeforeRequest(_ function: @escaping curl_prereq_callback) {
        recordError(longhaul_curl_set_prereq(raw, function))
    }
    func setProgress(_ function: @escaping curl_xferinfo_callback) {
        recordError(longhaul_curl_set_progress(raw, function))
    }
    func setClose(_ function: @escaping curl_closesocket_callback) {
        recordError(longhaul_curl_set_close(raw, function))
    }
    /// Sets the header lines that libcurl adds, or omits if they have no value.
    func setHeaderLines(_ lines: [String]) {
        for line in lines {
            guard let longer = curl_slist_append(headers, line) else { return recordError(CURLE_OUT_OF_MEMORY) }
            headers = longer
        }
        if let headers { set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(headers)) }
    }

    /// Sets a complete body. A short HTTP/1 body is then sent together with the headers. The handle frees it.
    func setBody(_ bytes: UnsafeMutableRawBufferPointer) {
        body?.deallocate()
        body = bytes
        set(CURLOPT_POST, 1)
        set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
        if let start = bytes.baseAddress { set(CURLOPT_POSTFIELDS, start) }
    }

    /// Stores libcurl's error message.
    func keepComplaint() {
        let complaint = self.complaint ?? .allocate(capacity: Int(CURL_ERROR_SIZE))
        complaint.pointee = 0
        self.complaint = complaint
        set(CURLOPT_ERRORBUFFER, complaint)
    }

    /// Whether libcurl had an error message for a failure; `true` if the message was not stored.
    var hasComplained: Bool { complaint.map { $0.pointee != 0 } ?? true }

    /// The stored error message; `nil` if there is none.
    var complaintText: String? {
        guard let complaint, complaint.pointee != 0 else { return nil }
        return String(cString: complaint)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return longhaul_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return longhaul_curl_get_offset(raw, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// The cookies of the handle and its share, one per line in Netscape's format.
    var cookieLines: [UInt8] {
        var list: UnsafeMutableRawPointer?
        guard longhaul_curl_get_pointer(raw, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
        let first = list?.assumingMemoryBound(to: curl_slist.self)
        defer { curl_slist_free_all(first) }
        var lines: [UInt8] = []
        var entry = first
        while let line = entry {
            if var byte = line.pointee.data {
                while byte.pointee != 0 {
                    lines.append(UInt8(bitPattern: byte.pointee))
                    byte += 1
                }
                lines.append(UInt8(ascii: "\n"))
            }
            entry = line.pointee.next
        }
        return lines
    }

    /// Reports an aborted connection as an error from here on, instead of as the end of the body.
    func demandClosingAlert() {
        guard let connection = longhaul_curl_get_openssl(raw) else { return }
        longhaul_tls_demand_closing_alert(connection)
    }

    /// Returns the unread bytes of a connection that failed while sending; empty unless libcurl uses OpenSSL.
    func readRest(from socket: Int32, atMost limit: Int) -> [UInt8] {
        guard let connection = longhaul_curl_get_openssl(raw) else { return [] }
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = longhaul_tls_read_rest(connection, socket, buffer.baseAddress, limit)
        }
    }

    private func recordError(_ code: CURLcode) {
        if refusal == nil && code != CURLE_OK { refusal = code }
    }
}

/// Easy handles for reuse by later exchanges.
struct HandlePool {
    private static let capacity = 64
    /// The share of all handles: with its TLS sessions, the next connection to a server needs no full handshake.
    private let share: ConnectionShare
    var jars: CookieJars
    private var large: [EasyHandle] = []
    private var small: [EasyHandle] = []

    init(share: ConnectionShare, jars: CookieJars) {
        self.share = share
        self.jars = jars
    }

    /// Returns a handle. A handle for cookies uses the share of its jar.
    mutating func reuse(buffer: EasyHandle.Buffer, mayBeUsed: Bool, cookies: CookieJar?) -> EasyHandle? {
        guard mayBeUsed, cookies == nil else { return EasyHandle(buffer: buffer, share: cookies?.share ?? share) }
        let waiting: EasyHandle? =
            switch buffer {
            case .large: large.popLast()
            case .usual: small.popLast()
            case .limited: nil
            }
        return waiting ?? EasyHandle(buffer: buffer, share: share)
    }

    /// Returns a handle to the pool, unless it would refuse its options: libcurl 7.88 does not free the buffer of a
    /// handle whose connection continues with other streams (multi_done), and so refuses another size.
    mutating func giveBack(_ handle: EasyHandle) {
        // A handle that shares cookies belongs to its jar.
        guard handle.shares(share) else { return }
        handle.reset()
        handle.set(handle.buffer)
        guard handle.refusal == nil else { return }
        switch handle.buffer {
        case .large: if large.count < Self.capacity { large.append(handle) }
        case .usual: if small.count < Self.capacity { small.append(handle) }
        case .limited: break
        }
    }

    mutating func empty() {
        large = []
        small = []
    }
}
