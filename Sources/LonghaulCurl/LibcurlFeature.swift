import CCurl

/// What the libcurl that runs can do, which need not be the one that this was built with.
enum LibcurlFeature {
    static let http3 = features & CURL_VERSION_HTTP3 != 0
    /// Whether it is of version 7, where HTTP/2 is another one than later on.
    static let isSeven = version < 0x080000

    // The first form of the answer has what is asked for.
    private static let features = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
    private static let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0
}
