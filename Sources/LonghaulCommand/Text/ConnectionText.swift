import LonghaulCore

/// The number of connections that a download uses, with the reason.
enum ConnectionText {
    static func sentence(_ report: ConnectionReport) -> String {
        report.count == 1
            ? tr("The download uses 1 connection: \(phrase(report.reason)).")
            : tr("The download uses \(report.count) connections: \(phrase(report.reason)).")
    }

    private static func phrase(_ reason: ConnectionReason) -> String {
        switch reason {
        case .measuring: tr("Longhaul measures their speed before it adds more")
        case .trying: tr("Longhaul tests whether another number is faster")
        case .noGain: tr("more were no faster; Longhaul tests again within a minute")
        case .fast: tr("each is so fast that more would not help")
        case .most: tr("Longhaul uses no more without --split")
        case .nearEnd: tr("the rest is too short for another one")
        case .fullLine: tr("the network link is saturated")
        case .far: tr("the latency is high, and a single connection would start slowly")
        case .limited: tr("a rate limit or a budget determines the speed")
        case .hostLimit: tr("the limit per host allows no more (longhaul limits)")
        case .refused: tr("the server refused another one; Longhaul tests again within a minute")
        case .chosen: tr("chosen with --split, if the rest is long enough")
        }
    }
}
