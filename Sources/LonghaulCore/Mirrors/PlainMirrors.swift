/// The use of mirrors without TLS. An attacker who breaks TLS could move a download to plain HTTP and replace its
/// bytes, unless a digest that the user or a list stated proves the file.
package enum PlainMirrors: Equatable, Sendable {
    /// A digest proves the file.
    case used
    /// Used until a certificate is rejected.
    case usedUntilRejection
    /// A certificate was rejected.
    case banned
}

extension DownloadFacts {
    /// Returns the use of mirrors without TLS.
    func plainMirrors(for download: DownloadSpec?) -> PlainMirrors {
        guard download?.provesWhole == false else { return .used }
        return mirrors?.hasRejection == true ? .banned : .usedUntilRejection
    }

    /// Bans mirrors without TLS if a certificate was rejected and no digest proves the file. Returns whether the current
    /// source is one of them.
    @discardableResult
    mutating func banPlainMirrors(for download: DownloadSpec?) -> Bool {
        if plainMirrors(for: download) == .banned { mirrors?.banPlainMirrors() }
        return mirrors.map { $0.isBanned($0.current) } ?? false
    }
}

extension MirrorTable {
    /// Whether the certificate of a source was rejected, or a ban still says so.
    fileprivate var hasRejection: Bool { places.contains { $0.failure?.isAboutCertificate ?? false } }

    /// Bans the mirrors without TLS. The submitted URL is the user's own choice and stays.
    fileprivate mutating func banPlainMirrors() {
        for index in places.indices.dropFirst() where TransferURL.isPlain(places[index].url) {
            places[index].standing = .refused
            places[index].failure = .plainMirror
        }
    }

    /// Switches from a banned source to another one. The submitted URL is never banned.
    mutating func leaveBannedPlace() {
        if isBanned(current), !turnToNext() { current = 0 }
    }

    /// Whether a source is banned. The ban lasts as long as the transfer, even if the user retries it.
    func isBanned(_ index: Int) -> Bool {
        guard index > 0, let failure = places[index].failure else { return false }
        return failure.code == .certificateRejected && failure.origin == .longhaul
            && TransferURL.isPlain(places[index].url)
    }

    /// The URL of the source whose certificate was rejected.
    var rejectedURL: String? {
        places.indices.first { !isBanned($0) && places[$0].failure?.isAboutCertificate ?? false }.map { places[$0].url }
    }
}

extension TransferURL {
    /// Whether requests for this URL are not encrypted.
    package static func isPlain(_ text: String) -> Bool { (try? TransferURL(parsing: text))?.scheme != "https" }
}

extension TransferFailure {
    /// The failure of a banned mirror.
    static let plainMirror = TransferFailure(
        .certificateRejected,
        "Not used, because the certificate of another source was rejected and no digest proves a file without TLS.")

    /// Returns the failure with the reason why mirrors without TLS were not used, and the remedy.
    var explainingBan: TransferFailure {
        let reason =
            "Mirrors over plain HTTP were not used instead, because no digest proves their file; "
            + "add one with --sha256, or choose a mirror with https."
        var explained = self
        explained.summary += " " + reason
        return explained
    }
}
