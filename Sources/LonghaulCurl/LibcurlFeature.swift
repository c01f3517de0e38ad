import CCurl

/// Features of the loaded libcurl, which may be another version than at build time.
enum LibcurlFeature {
    static let http3: Bool = {
        // The first version of the structure has the field.
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return false }
        return info.pointee.features & CURL_VERSION_HTTP3 != 0
    }()

    /// Whether libcurl can present a Kerberos ticket (SPNEGO).
    static let negotiates: Bool = {
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return false }
        return info.pointee.features & CURL_VERSION_SPNEGO != 0
    }()

    /// Whether the user of this process may have a ticket. It can come and go at any time.
    static var mayHaveTicket: Bool { negotiates && longhaul_has_kerberos_ticket() != 0 }

    /// Whether to use only the file of the system's CA certificates, and not the directory: with GnuTLS, libcurl reads
    /// the directory again for each connection (37 ms for Debian's), but caches the file.
    static let needsNoDirectoryOfAuthorities: Bool = {
        guard isOfGnuTLS, let handle = curl_easy_init() else { return false }
        defer { curl_easy_cleanup(handle) }
        var file: UnsafeMutableRawPointer?
        return longhaul_curl_get_pointer(handle, CURLINFO_CAINFO, &file) == CURLE_OK && file != nil
    }()

    /// Whether libcurl uses GnuTLS instead of OpenSSL.
    static let isOfGnuTLS: Bool = {
        guard let info = curl_version_info(CURLVERSION_FIRST), let name = info.pointee.ssl_version else { return false }
        return String(cString: name).hasPrefix("GnuTLS/")
    }()

    /// Whether the end of a request body may corrupt a response body on the same HTTP/2 connection: before 8.1, libcurl
    /// then continues to read although bytes of another stream are still in its buffer, and these are lost or
    /// overwritten.
    static let mixesBodies =
        curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x080100 } ?? false

    /// Whether libcurl may store the text of a request's headers as the first bytes of an upload over HTTP/2, and forget received frames
    /// of other streams when a stream that was paused continues or ends. Gone since 8.1 (curl 744dcf22fa).
    static let mishandlesStreams = mixesBodies

    /// Whether libcurl is version 7, whose HTTP/2 implementation differs from later versions.
    static let isSeven = curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x080000 } ?? false
}
