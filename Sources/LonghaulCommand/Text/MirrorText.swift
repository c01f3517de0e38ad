import LonghaulCore

/// A source of a download, in words.
enum MirrorText {
    static func sentence(_ mirror: MirrorReport) -> String { "\(mirror.url): \(words(mirror))".asSentence }

    static func words(_ mirror: MirrorReport) -> String {
        var parts = [tr("\(HumanText.bytes(mirror.bytes)) received")]
        if let rate = mirror.rate, rate > 0 { parts.append(tr("\(HumanText.rate(rate)) per connection")) }
        switch mirror.standing {
        case .good: if mirror.isAsked { parts.append(tr("preferred")) }
        case .otherVersion: parts.append(tr("has another version of the file"))
        case .refused: parts.append(tr("no longer used"))
        }
        if let failure = mirror.failure { parts.append(tr("last failure: \(StateText.sentence(failure))")) }
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
