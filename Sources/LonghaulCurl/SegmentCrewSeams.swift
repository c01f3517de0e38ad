import LonghaulCore
import LonghaulFiles

// Where the ranges of two members meet.
extension SegmentCrew {
    /// From inside libcurl's callback: a helper has received the bytes before its range. Until then another member may go
    /// on beyond the place where they meet, so that a refusal costs nothing. Now the helper takes over. Returns why the
    /// helper ends, if it does.
    func join(_ helper: Exchange, _ comparison: Comparison) -> ExchangeMachine.Stop? {
        guard let part = board.parts[helper.ticket] else { return .enough }
        if let other = members.first(where: { $0.file?.isBound(beyond: comparison.end) == true }), let file = other.file
        {
            let position = max(file.position, comparison.end)
            guard position < part.end else { return .enough }
            file.stop(at: position)
            if position > comparison.end {
                board.begin(helper.ticket, at: position, behind: other.ticket)
                comparison.extend(to: position)
                return nil
            }
        }
        do throws(TransferFailure) {
            let agrees = try seams?.add(comparison.sample, before: comparison.end, in: map, with: read)
            return agrees == false ? .overlapDiffers : nil
        } catch {
            return .failure(error)
        }
    }

    private func read(_ range: Range<Int64>) throws(TransferFailure) -> [UInt8] { try readPart(of: target.path, range) }

    /// From inside libcurl's callback: a helper's head is accepted. It may have been given less to do meanwhile, and its answer may
    /// be shorter than what was asked for.
    func accept(_ helper: Exchange, _ file: PartialFile) {
        guard let part = board.parts[helper.ticket], let missing = file.missing else { return }
        let end = file.start + missing
        if part.end > end {
            board.shorten(helper.ticket, to: end)
            notes.shortAnswers.insert(helper.ticket)
        } else if part.end < end, !notes.successors.values.contains(helper.ticket) {
            file.stop(at: part.end)
        }
    }

    /// It brings no more than that; it is written and closed next.
    func settled(_ member: Exchange, at position: Int64, keepsConnection: Bool) {
        if keepsConnection, member.isHelper { notes.warm += 1 }
        // Its connection waits meanwhile, and its window closes.
        if isFar, let part = board.parts[member.ticket], position >= part.end {
            first.thread.afterwards.crews.add(idle: self)
        }
        dropSuccessors(of: member, at: position)
        board.advance(member.ticket, to: position)
        board.shorten(member.ticket, to: position)
    }

    /// It has gone on beyond its end, since nobody else got anything there. Those who were to bring that have not begun to
    /// write, or it would have been stopped.
    private func dropSuccessors(of member: Exchange, at position: Int64) {
        guard let part = board.parts[member.ticket], position > part.end else { return }
        // Its successor may have one of its own by now.
        for (helper, other) in board.parts where (part.end..<position).contains(other.start) && helper != member.ticket
        {
            board.end(helper, written: 0)
            notes.leaving.insert(helper)
            first.thread[helper]?.cancelAlone()
        }
        board.lengthen(member.ticket, to: position)
    }

    /// What is in the file, received or not.
    var map: SegmentMap {
        var written: [Ticket: Int64] = [:]
        for ticket in board.parts.keys { written[ticket] = first.thread[ticket]?.file?.length }
        return board.map(written: written)
    }

    /// Returns whether the responses that meet within `map` have the same bytes there. Otherwise all end.
    func agree(in map: SegmentMap) -> Bool {
        do throws(TransferFailure) {
            guard try seams?.agree(in: map, with: read) == false else { return true }
            conclude(changed)
        } catch {
            conclude(brokenBy(error))
        }
        return false
    }
}

extension PartialFile {
    /// Whether it begins before this byte, and ends behind it.
    fileprivate func isBound(beyond position: Int64) -> Bool {
        start < position && self.position + (missing ?? 0) > position
    }
}
