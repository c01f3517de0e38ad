import LonghaulCore

/// The progress, rate, and remaining time of several active transfers together.
struct Movement: Equatable, Sendable {
    private var done: Int64 = 0
    private var total: Int64 = 0
    private var rate: Int64 = 0
    /// Whether the size of each transfer is known.
    private var isWhole: Bool

    /// - Parameter rate: The rate of the session, if it is known.
    /// - Parameter hasOthers: Whether more transfers follow, whose size is unknown.
    init(_ transfers: some Sequence<TransferSnapshot>, rate: Int64? = nil, hasOthers: Bool = false) {
        isWhole = !hasOthers
        for transfer in transfers {
            self.rate += transfer.rate
            guard let size = transfer.bytesTotal else {
                isWhole = false
                continue
            }
            done += transfer.bytesDone
            total += size
        }
        self.rate = rate ?? self.rate
    }

    /// Empty if nothing is known.
    var text: String {
        guard total > 0 else { return rate > 0 ? HumanText.rate(rate) : "" }
        let (of, speed) = (HumanText.bytes(total), HumanText.rate(rate))
        guard isWhole, let percent = HumanText.percent(done, of: total) else {
            let amount = tr("\(HumanText.bytes(done)) of at least \(of)")
            return rate > 0 ? amount + ", " + speed : amount
        }
        guard rate > 0 else { return tr("\(percent)% of \(of)") }
        return tr("\(percent)% of \(of), \(speed), \(HumanText.clock((max(0, total - done) + rate - 1) / rate)) left")
    }
}
