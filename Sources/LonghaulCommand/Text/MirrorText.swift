import LonghaulCore

/// A source of a download, in words.
enum MirrorText {
    /// - Parameter isKnown: Whether a sentence was printed before.
    static func sentence(_ mirror: MirrorReport, _ isKnown: (String) -> Bool) -> String {
        "\(mirror.url): \(words(mirror, isKnown))".asSentence
    }

    static func words(_ mirror: MirrorReport, _ isKnown: (String) -> Bool = { _ in false }) -> String {
        var parts = [tr("\(HumanText.bytes(mirror.bytes)) received")]
        if let rate = mirror.rate, rate > 0 { parts.append(tr("\(HumanText.rate(rate)) per connection")) }
        switch mirror.standing {
        case .good: if mirror.isAsked { parts.append(tr("preferred")) }
        case .otherVersion: parts.append(tr("has another version of the file"))
        case .refused: parts.append(tr("no longer used"))
        }
        if let failure = mirror.failure, !isKnown(StateText.sentence(failure)) {
            parts.append(tr("last failure: \(StateText.sentence(failure))"))
        }
        return parts.joined(separator: ", ")
    }

    static func word(_ standing: MirrorReport.Standing) -> String {
        switch standing {
        case .good: "good"
        case .otherVersion: "otherVersion"
        case .refused: "refused"
        }
    }
}
