import LonghaulCore

/// One of the places that a download comes from, in words.
enum MirrorText {
    static func sentence(_ mirror: MirrorReport) -> String {
        let text = "\(mirror.url) \(words(mirror))"
        return text.last == "." ? text : text + "."
    }

    static func words(_ mirror: MirrorReport) -> String {
        var words = mirror.bytes > 0 ? "gave \(HumanText.bytes(mirror.bytes))" : "has given nothing"
        if let rate = mirror.rate, rate > 0 { words += ", \(HumanText.rate(rate)) over each connection" }
        if let failure = mirror.failure { words += ", failed last: " + failure.message }
        switch mirror.standing {
        case .good: return words + (mirror.isAsked ? ", and is asked first" : "")
        case .otherVersion: return words + ", and has another version of the file"
        case .refused: return words + ", and is not asked any more"
        }
    }

    static func word(_ standing: MirrorReport.Standing) -> String {
        switch standing {
        case .good: "good"
        case .otherVersion: "otherVersion"
        case .refused: "refused"
        }
    }
}
