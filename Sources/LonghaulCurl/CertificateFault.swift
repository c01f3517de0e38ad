/// The fault of a server's certificate, from the number of the TLS library that verified it
/// (CURLINFO_SSL_VERIFYRESULT).
enum CertificateFault: Equatable {
    /// The library found no fault. libcurl itself compares the name, and leaves the number unchanged.
    case otherName
    case notYetValid
    case expired
    case selfSigned
    case unknownIssuer
    case revoked
    case other(Int)

    /// From X509_verify_cert_error_string(3).
    init(openSSL number: Int) {
        switch number {
        case 0, 1: self = .otherName
        case 9: self = .notYetValid
        case 10: self = .expired
        case 18: self = .selfSigned
        case 2, 19, 20, 21: self = .unknownIssuer
        case 23: self = .revoked
        default: self = .other(number)
        }
    }

    /// From the bits of gnutls_certificate_status_t. GnuTLS reports a self-signed certificate as one of an unknown
    /// issuer.
    init(gnuTLS bits: Int) {
        if bits == 0 {
            self = .otherName
        } else if bits & 1 << 5 != 0 {
            self = .revoked
        } else if bits & 1 << 6 != 0 {
            self = .unknownIssuer
        } else if bits & 1 << 9 != 0 {
            self = .notYetValid
        } else if bits & 1 << 10 != 0 {
            self = .expired
        } else {
            self = .other(bits)
        }
    }

    func sentence(about host: String) -> String {
        switch self {
        case .otherName:
            "The certificate of \(host) is for another name. Check the host in the URL, or ask the server's operator."
        case .notYetValid:
            "The certificate of \(host) is not valid yet. Check the clock of this machine, or ask the server's operator."
        case .expired:
            "The certificate of \(host) has expired. Check the clock of this machine, or ask the server's operator."
        case .selfSigned:
            "\(host) uses a self-signed certificate. If you trust it, pass it with --cacert, or accept its key with longhaul trust."
        case .unknownIssuer:
            "The certificate of \(host) was issued by an untrusted certificate authority. If you trust the issuer, pass its certificate with --cacert, or accept the server's key with longhaul trust."
        case .revoked: "The certificate of \(host) has been revoked. Contact the server's operator."
        case .other(let number):
            "The certificate of \(host) is not valid (TLS library error \(number)). Ask the server's operator."
        }
    }
}
