import CCurl

/// What the libcurl that runs can do, which need not be the one that this was built with.
enum LibcurlFeature {
    static let http3: Bool = {
        // The first form of the answer has what is asked for.
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return false }
        return info.pointee.features & CURL_VERSION_HTTP3 != 0
    }()

    /// Whether it can show the ticket of a Kerberos login (SPNEGO).
    static let negotiates: Bool = {
        guard let info = curl_version_info(CURLVERSION_FIRST) else { return false }
        return info.pointee.features & CURL_VERSION_SPNEGO != 0
    }()

    /// Whether the system's authorities are in one file as well, and are better read from that alone: with GnuTLS libcurl reads a directory
    /// of them anew for each connection, 37 ms of work for Debian's, and remembers those of a file.
    static let needsNoDirectoryOfAuthorities: Bool = {
        guard isOfGnuTLS, let handle = curl_easy_init() else { return false }
        defer { curl_easy_cleanup(handle) }
        var file: UnsafeMutableRawPointer?
        return longhaul_curl_get_pointer(handle, CURLINFO_CAINFO, &file) == CURLE_OK && file != nil
    }()

    /// Whether it speaks TLS by GnuTLS, and not by OpenSSL.
    static let isOfGnuTLS: Bool = {
        guard let info = curl_version_info(CURLVERSION_FIRST), let name = info.pointee.ssl_version else { return false }
        return String(cString: name).hasPrefix("GnuTLS/")
    }()

    /// Whether the end of a body that is sent may spoil one that is received over the same connection of HTTP/2: before 8.1 libcurl then
    /// reads on, although bytes of another stream still wait in its buffer for their reader, and these are lost or overwritten.
    static let mixesBodies =
        curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x080100 } ?? false

    /// Whether it is of version 7, where HTTP/2 is another one than later on.
    static let isSeven = curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x080000 } ?? false
}
