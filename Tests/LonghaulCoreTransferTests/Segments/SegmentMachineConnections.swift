@testable import LonghaulCore

// The connections of the simulation, and what servers send over them.
extension SegmentMachineWorld {
    mutating func move(_ ticket: Ticket) throws {
        guard let connection = connections[ticket] else { return }
        switch connection.state {
        case .connecting(let until): if now >= until { answer(ticket) }
        case .comparing: try compare(ticket)
        case .writing: try write(ticket)
        case .settling(let until, let outcome):
            guard now >= until else { return }
            end(ticket, outcome)
        case .over: break
        }
    }

    mutating func end(_ ticket: Ticket, _ outcome: ExchangeOutcome) {
        connections[ticket]?.state = .over
        news.append((ticket, .ended(ticket, outcome)))
    }

    static let lost = ExchangeOutcome.Ending.broke(TransferFailure(.connectionLost, "It was lost."))

    mutating func answer(_ ticket: Ticket) {
        guard let connection = connections[ticket], let point = connection.point else { return }
        let manners = connection.manners
        if let failure = manners.failure { return end(ticket, ExchangeOutcome(ending: .broke(failure))) }
        guard manners.answers else { return end(ticket, ExchangeOutcome(ending: Self.lost)) }
        var plan = partial
        plan.resume = point
        guard let head = plan.seen(answer(point, manners)) else { return }
        connections[ticket]?.head = head
        switch DownloadRule.decide(head: head, resume: point) {
        case .write(let start, let length): begin(ticket, at: start, reach: start + (length ?? 0))
        case .compareThenWrite(let from, let overlap, let length):
            connections[ticket]?.reach = from + (length ?? 0)
            connections[ticket]?.state = .comparing(
                position: from, end: from + overlap, isLater: ticket.isOfHelper)
        case .holdForRestart:
            if ticket.isOfHelper {
                connections[ticket]?.state = .connecting(until: .max)
                news.append((ticket, .gotWhole(ticket, head)))
            } else {
                end(ticket, ExchangeOutcome(ending: .responded, head: head, disposition: .refused(.changed)))
            }
        case .refuse(let refusal):
            end(ticket, ExchangeOutcome(ending: .responded, head: head, disposition: .refused(refusal)))
        }
    }

    /// Returns the outcome of a request for several ranges.
    func outcome(of ranges: [Range<Int64>], _ manners: Manners) -> ExchangeOutcome {
        guard manners.answers else { return ExchangeOutcome(ending: Self.lost) }
        guard manners.status == nil, !manners.isPage, manners.honorsRange, manners.form == .part else {
            let head = manners.isPage ? Self.page : Self.head(manners, status: manners.status ?? 200, 0..<total, total)
            return ExchangeOutcome(ending: .responded, head: head)
        }
        var head = Self.head(manners, status: 206, 0..<1, total)
        head.headers.removeAll { ["Content-Range", "Content-Type", "Content-Length"].contains($0.name) }
        head.headers.append(HeaderField("Content-Type", "multipart/byteranges; boundary=next"))
        let remote = (0..<total / Self.unit).map { manners.content.unit($0) }
        var body: [UInt8] = []
        for range in ranges {
            let place = "\(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            body += Array("\r\n--next\r\nContent-Range: bytes \(place)\r\n\r\n".utf8) + Self.bytes(range, in: remote)
        }
        return ExchangeOutcome(ending: .responded, head: head, body: body + Array("\r\n--next--\r\n".utf8))
    }

    static let page = ResponseHead(
        status: 200, headers: [HeaderField("Content-Type", "text/html"), HeaderField("Content-Length", "41")],
        effectiveURL: "https://a.example/f")

    func answer(_ point: ResumePoint, _ manners: Manners) -> ResponseHead {
        if let status = manners.status { return ResponseHead(status: status, headers: [], effectiveURL: "") }
        if manners.isPage { return Self.page }
        let headers = ResumeLadder.headers(for: point)
        let conditions = headers.filter { $0.name.hasPrefix("If-") }.map(\.value)
        let holds = conditions.allSatisfy { $0 == manners.tag || manners.tag == nil }
        if manners.honorsConditions, !holds { return Self.head(manners, status: 200, 0..<total, total) }
        guard manners.honorsRange else { return Self.head(manners, status: 200, 0..<total, total) }
        var end = point.end ?? total
        if let longest = manners.longest { end = min(end, point.length + longest * Self.unit) }
        return Self.head(manners, status: manners.form == .part ? 206 : 200, point.requestedStart..<end, total)
    }

    /// Reads up to the start of the connection's own range.
    mutating func compare(_ ticket: Ticket) throws {
        guard let connection = connections[ticket], case .comparing(let from, var end, let isLater) = connection.state
        else { return }
        let position = min(from + connection.manners.rate * Self.unit, end, connection.reach)
        connections[ticket]?.state = .comparing(position: position, end: end, isLater: isLater)
        guard position == end else {
            // A short part that ends before the other connection's bytes do.
            guard position == connection.reach else { return }
            let written = ExchangeOutcome.Disposition.written(length: end, isComplete: false)
            return self.end(
                ticket, ExchangeOutcome(ending: Self.lost, head: connection.head, disposition: written))
        }
        let first = max(end - SegmentSeams.overlap, connection.point?.requestedStart ?? 0) / Self.unit
        let sample = (first..<end / Self.unit).flatMap { Self.bytes(connection.manners.content.unit($0)) }
        guard isLater else {
            guard bytes(first * Self.unit..<end) == sample else { return endComparing(ticket, .overlapDiffers) }
            return begin(ticket, at: end, reach: connection.reach)
        }
        for _ in 0..<10 {
            switch machine.join(ticket, sample, before: end, sight) {
            case .enough: return endComparing(ticket, .written(length: end, isComplete: false))
            case .write: return begin(ticket, at: end, reach: connection.reach)
            case .takeOver(let other, let position):
                connections[other]?.end = position
                guard position > end else { continue }
                end = position
                connections[ticket]?.state = .comparing(position: from, end: end, isLater: true)
                return
            case .compare(let overlap):
                machine.joined(overlap)
                guard bytes(overlap.range) == overlap.sample else { return endComparing(ticket, .overlapDiffers) }
                return begin(ticket, at: end, reach: connection.reach)
            }
        }
        throw Violation.joinsForever
    }

    private mutating func endComparing(_ ticket: Ticket, _ disposition: ExchangeOutcome.Disposition) {
        end(ticket, ExchangeOutcome(ending: .responded, head: connections[ticket]?.head, disposition: disposition))
    }

    private mutating func begin(_ ticket: Ticket, at start: Int64, reach: Int64) {
        guard let head = connections[ticket]?.head else { return }
        connections[ticket]?.state = .writing
        connections[ticket]?.start = start
        connections[ticket]?.position = start
        connections[ticket]?.reach = reach
        connections[ticket]?.end = reach
        guard ticket.isOfHelper else { return }
        if let end = machine.accept(ticket, start..<reach) { connections[ticket]?.end = end }
        news.append((ticket, .receiving(ticket, head)))
    }

    private mutating func write(_ ticket: Ticket) throws {
        guard var connection = connections[ticket] else { return }
        let manners = connection.manners
        let most = min(manners.breaksAfter ?? .max, manners.stallsAfter ?? .max)
        let burst = manners.isBursty ? now / Self.tick % 20 == 0 ? 20 : 0 : 1
        let room = max(connection.end - connection.position, 0) / Self.unit
        let count = max(min(manners.rate * Int64(burst), most - connection.received, room), 0)
        if count > 0 || connection.receivedAt == 0 { connection.receivedAt = now }
        for index in connection.position / Self.unit..<connection.position / Self.unit + count {
            if written[Int(index)] { throw Violation.writtenTwice(index) }
            written[Int(index)] = true
            file[Int(index)] = manners.content.unit(index)
        }
        connection.received += count
        connection.position += count * Self.unit
        received += count * Self.unit
        connections[ticket] = connection
        if connection.position >= connection.end { return try conclude(ticket, .responded) }
        let isSilent = now - connection.receivedAt > 30_000 * Self.millisecond
        if isSilent || connection.received >= manners.breaksAfter ?? .max { try conclude(ticket, Self.lost) }
    }

    mutating func conclude(_ ticket: Ticket, _ ending: ExchangeOutcome.Ending) throws {
        guard let connection = connections[ticket] else { return }
        let outcome = ExchangeOutcome(
            ending: ending, head: connection.head,
            disposition: .written(length: connection.position, isComplete: ending == .responded))
        let delay = Int64.random(in: 0...100, using: &chance) * Self.millisecond
        connections[ticket]?.state = .settling(until: now + delay, outcome)
        try handle(.settled(ticket, at: connection.position, keepsConnection: false))
    }

    mutating func cancel(_ ticket: Ticket) throws {
        guard let connection = connections[ticket] else { return }
        switch connection.state {
        case .writing: try conclude(ticket, .cancelled)
        case .connecting, .comparing: end(ticket, ExchangeOutcome(ending: .cancelled, head: connection.head))
        case .settling, .over: break
        }
    }
}
