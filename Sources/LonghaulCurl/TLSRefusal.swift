import LonghaulCore

/// Why a TLS handshake failed, if every handshake with these options would fail.
enum TLSRefusal {
    case requiresCertificate
    case rejectsCertificate
    case otherVersion
    case noSharedParameters
    case noTLS

    /// Reads OpenSSL's error from the message of libcurl, such as `error:0A00045C:SSL routines::…`, or `TLS connect error: error:…` in
    /// newer versions. Its last digits are a reason of `openssl/sslerr.h`, the same in all versions.
    init?(_ message: String) {
        let errors = message.ranges(of: "error:").lazy.compactMap { mark in
            UInt32(message[mark.upperBound...].prefix { $0.isHexDigit }, radix: 16)
        }
        guard let error = errors.first else { return nil }
        self.init(reason: error & 0xFFF)
    }

    /// A reason above 1000 is an alert from the server: 1000 more than its number in RFC 8446, section 6.
    private init?(reason: UInt32) {
        switch reason {
        case 1_116: self = .requiresCertificate
        case 1_042...1_046, 1_048, 1_049: self = .rejectsCertificate
        // SSL_R_UNSUPPORTED_PROTOCOL, and SSL_R_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED: TLS 1.0 and 1.1 sign with SHA-1 (RFC 8996).
        case 1_070, 258, 333: self = .otherVersion
        case 1_040: self = .noSharedParameters
        // SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, and SSL_R_HTTP_REQUEST: the first bytes are not those of TLS.
        case 267, 198, 156: self = .noTLS
        default: return nil
        }
    }

    func sentence(about server: String, hasCertificate: Bool) -> String {
        switch self {
        case .requiresCertificate: "\(server) requires a client certificate. Pass one with --cert."
        case .rejectsCertificate where hasCertificate:
            "\(server) rejected the client certificate. Pass another one with --cert."
        case .otherVersion:
            "\(server) supports no version of TLS that Longhaul supports (1.2 and 1.3). Ask the server's operator."
        case .noSharedParameters where hasCertificate:
            "\(server) rejected the TLS handshake. It may require another client certificate (--cert)."
        case .rejectsCertificate, .noSharedParameters:
            "\(server) rejected the TLS handshake. If it requires a client certificate, pass one with --cert."
        case .noTLS:
            "\(server) does not speak TLS on this port. Check the port, or use http:// if you trust the network."
        }
    }
}
