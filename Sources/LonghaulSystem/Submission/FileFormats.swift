package import LonghaulCore

/// Checks the formats of keyrings and certificates. A library that finds nothing in such a file would report an unknown signer or
/// an unknown issuer.
extension LocalPaths {
    /// Longer than the keyring of a distribution.
    private static let keyringLimit = 64 << 20
    /// A bundle of authorities may begin with a long comment.
    private static let beginning = 1 << 20

    /// Returns the keyring's content; fails if it is not an OpenPGP keyring.
    @discardableResult
    package static func keyring(at path: String) throws(TransferFailure) -> OpenPGPFile.Keyring {
        if OpenPGPFile.isBinaryKeyring(try contents(of: path, limit: 64)) { return .binary }
        guard let keyring = OpenPGPFile.keyring(try contents(of: path, limit: keyringLimit)) else {
            throw TransferFailure(
                .sourceUnreadable,
                "Cannot read the keyring \(path): it contains no OpenPGP public key. Write one with gpg --export.")
        }
        return keyring
    }

    /// Fails if a file of the connections has another format than libcurl reads.
    package static func checkFormats(of network: NetworkOptions) throws(TransferFailure) {
        for path in [network.caFile, network.proxyCAFile] {
            try check(path, ["CERTIFICATE-----"], mayBeBinary: false, "CA certificates in the PEM format")
        }
        // libcurl reads the key's encoding too.
        try check(
            network.pinnedPublicKeys, ["BEGIN PUBLIC KEY-----"], mayBeBinary: true, "a public key in the PEM format")
        try checkCookies(network.cookieFile)
        guard let certificate = network.clientCertificate else { return }
        if certificate.forms.certificate == "P12" {
            try check(certificate.certificate, [], mayBeBinary: true, "a certificate in the PKCS#12 format")
        } else {
            try check(
                certificate.certificate, ["CERTIFICATE-----"], mayBeBinary: false, "a certificate in the PEM format")
        }
        try check(certificate.key, ["PRIVATE KEY-----"], mayBeBinary: false, "a private key in the PEM format")
    }

    private static func check(
        _ path: String?, _ marks: [String], mayBeBinary: Bool, _ expected: String
    ) throws(TransferFailure) {
        guard let path, path.hasPrefix("/") else { return }
        let bytes = try contents(of: path, limit: beginning)
        // DER starts with a sequence (X.690, section 8.9).
        if mayBeBinary, bytes.first == 0x30 { return }
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
        let isText = lines.contains { line in
            line.starts(with: "-----BEGIN".utf8) && marks.contains { line.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
        guard isText else {
            throw TransferFailure(
                .sourceUnreadable, "Cannot read \(path): it does not contain \(expected). Convert or replace the file.")
        }
    }

    /// Fails if libcurl finds no cookie in a file although it has more than comments: browsers and their extensions also write JSON and
    /// SQLite. A cookie has seven fields between tabs, or it is a `Set-Cookie` header.
    private static func checkCookies(_ path: String?) throws(TransferFailure) {
        guard let path, path.hasPrefix("/") else { return }
        let lines = try contents(of: path, limit: beginning).split { $0 == 0x0A || $0 == 0x0D }
        let others = lines.filter { line in
            !line.starts(with: "#".utf8) || line.starts(with: "#HttpOnly_".utf8)
        }
        let hasCookie = others.contains { line in
            line.count { $0 == 0x09 } >= 5
                || String(decoding: line.prefix(11), as: UTF8.self).lowercased() == "set-cookie:"
        }
        guard !others.isEmpty, !hasCookie else { return }
        throw TransferFailure(
            .sourceUnreadable,
            "Cannot read \(path): it contains no cookies in the Netscape format (cookies.txt). Export them again in this format."
        )
    }

    private static func contents(of path: String, limit: Int) throws(TransferFailure) -> [UInt8] {
        do throws(SystemError) {
            return try Descriptor(opening: path, [.reading, .atOnce]).readBeginning(limit: limit)
        } catch {
            throw unreadable(path, error)
        }
    }
}
