import CCurl
import LonghaulCore
import LonghaulFiles
import Synchronization

// The body of a response.
extension ResponseIntake {
    /// Takes bytes of the body. Returns how many; fewer end or pause the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if exchange.hasUsedAllowance { return Int(CURL_WRITEFUNC_PAUSE) }
        let count = use(bytes)
        if count != Int(CURL_WRITEFUNC_PAUSE) { exchange.wire.given += Int64(count) }
        return count
    }

    private func use(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard case .asking(let reception) = exchange.machine.phase else { return bytes.count }
        switch reception {
        case .awaitingHead: return bytes.count
        case .redirecting: return drop(bytes)
        case .keeping(let limit): return keep(bytes, limit: limit)
        case .keepingRefusal(let limit, _): return keepRefusal(bytes, limit: limit)
        case .held: return Int(CURL_WRITEFUNC_PAUSE)
        case .filling: return fill(bytes)
        }
    }

    private func drop(_ bytes: UnsafeRawBufferPointer) -> Int {
        exchange.wire.activity.dropped += bytes.count
        if exchange.wire.activity.dropped <= ExchangeMachine.dropLimit { return bytes.count }
        exchange.machine.stop = .enough
        return 0
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int {
        exchange.machine.kept.keep(bytes, limit: limit)
        if !exchange.isHelper {
            let received = exchange.progress.received.load(ordering: .relaxed) + Int64(bytes.count)
            exchange.progress.moved(received: received, at: thread.now)
        }
        return bytes.count
    }

    private func keepRefusal(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int {
        _ = keep(bytes, limit: limit)
        guard exchange.machine.kept.isTruncated else { return bytes.count }
        exchange.machine.stop = .enough
        return 0
    }

    private func fill(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch exchange.receiver {
        case .comparing(let comparison): compare(bytes, with: comparison)
        case .writing(let file): write(bytes, to: file)
        case .nobody, .settling, .closing: 0
        }
    }

    private func compare(_ bytes: UnsafeRawBufferPointer, with comparison: Comparison) -> Int {
        // Once the overlap has been taken, libcurl could not deliver the rest of these bytes alone.
        if isPaced() { return Int(CURL_WRITEFUNC_PAUSE) }
        var rest = bytes
        repeat {
            guard let count = comparison.compare(rest) else {
                exchange.machine.stop = .overlapDiffers
                return 0
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            guard comparison.isComplete else { return bytes.count }
            if exchange.isHelper { exchange.machine.stop = exchange.segmentPool?.join(exchange, comparison) }
            guard exchange.machine.stop == nil else { return 0 }
        } while !comparison.isComplete
        let file = comparison.file()
        write(to: file)
        guard exchange.machine.stop == nil else { return 0 }
        if rest.isEmpty { return bytes.count }
        return write(rest, to: file) == rest.count ? bytes.count : 0
    }

    /// Returns whether the rate limit pauses the exchange.
    private func isPaced() -> Bool {
        guard exchange.owner.limits.pace?.allows(at: thread.now) == false else { return false }
        exchange.rest()
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to file: PartialFile) -> Int {
        if isPaced() { return Int(CURL_WRITEFUNC_PAUSE) }
        do throws(TransferFailure) {
            guard let count = try file.append(bytes) else { return waitForRoom(bytes.count) }
            exchange.owner.limits.pace?.use(count)
            exchange.recordReceived(file)
            exchange.direct?.endReading()
            if exchange.direct?.hasReceived == true || file.isCut, file.missing == 0 {
                exchange.leaveConnection()
                exchange.machine.stop = .enough
                return 0
            }
            if count == bytes.count { return count }
            exchange.machine.stop = .failure(
                TransferFailure(
                    .lengthMismatch, "\(url.site) sent more bytes than it announced. Try again later."))
        } catch {
            exchange.machine.stop = .failure(error)
        }
        return 0
    }
}

// The partial file that the body is written to.
extension ResponseIntake {
    func write(from start: Int64, bodyLength: Int64?) {
        guard case .partial(let plan) = exchange.plan.sink else { return }
        write(
            to: PartialFile(
                path: plan.path, start: start, bodyLength: bodyLength, digests: plan.digests,
                pieceSize: thread.pieceSize, isShared: plan.resume?.map != nil))
    }

    func compare(from: Int64, overlap: Int64, bodyLength: Int64?) {
        guard case .partial(let plan) = exchange.plan.sink else { return }
        do throws(TransferFailure) {
            exchange.receiver = .comparing(
                try Comparison(
                    path: plan.path, from: from, overlap: overlap, bodyLength: bodyLength, digests: plan.digests,
                    isShared: plan.resume?.map != nil, isLater: exchange.isHelper))
        } catch {
            exchange.machine.stop = .failure(error)
        }
    }

    func write(to file: PartialFile) {
        exchange.receiver = .writing(file)
        if !exchange.isHelper, let head = exchange.machine.head {
            exchange.progress.response = ExchangeProgress.AcceptedResponse(
                status: head.status, length: ValidatorReading.total(of: head))
        }
        exchange.checkpoints = Checkpoints(from: file.start)
        openUnlessGathered(file)
    }

    /// Opens the partial file, and reports to the loop that bytes of this version follow. The bytes of another version
    /// have been truncated before, because the loop now records this version's validators. A small body is opened,
    /// written, and reported together at its end.
    private func openUnlessGathered(_ file: PartialFile) {
        guard path(of: file) != .gathered || file.isShared, let head = exchange.machine.head else { return }
        do throws(TransferFailure) {
            try file.open()
            thread.emit(exchange.ticket, .receiving(head))
            choosePath(of: file)
            SegmentPool.opened(exchange, file, head)
        } catch {
            exchange.machine.stop = .failure(error)
        }
    }

    private func path(of file: PartialFile) -> BodyPath {
        if exchange.plan.sink.isFollowed { return .streamed }
        var traits = ResponseTraits(bodyLength: file.missing)
        traits.isFramedByLength = exchange.machine.head?.announcedBodyLength != nil
        traits.isPlain = exchange.isPlain
        traits.isRateLimited = exchange.isLimited
        traits.keepsConnection = exchange.isHelper && exchange.segmentPool?.machine.isFar == true
        traits.isDigested = file.target.isDigested
        traits.hasSentAll = exchange.body == nil
        return thread.files.paths.path(of: traits)
    }

    /// Gives an open file the writer that its path requires. If none is available, the network thread writes.
    func choosePath(of file: PartialFile) {
        file.isFollowed = exchange.plan.sink.isFollowed
        let path = path(of: file)
        guard path == .handedOver || path == .takenOver else { return }
        file.target.mayBeDirect = true
        guard let writer = thread.files.makeWriter(of: file.target, for: exchange) else { return }
        file.write(by: writer)
        guard path == .takenOver else { return }
        if exchange.direct == nil { exchange.direct = DirectPath(exchange) }
        exchange.direct?.stopReading()
    }

    /// Pauses libcurl until the writer has room for this many bytes.
    private func waitForRoom(_ count: Int) -> Int {
        guard let writer = exchange.receiver.writer, !writer.awaitRoom(for: count) else {
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        if let failure = writer.failure { exchange.machine.stop = .failure(failure) }
        // There is room by now, so libcurl is to offer the data again.
        thread.files.comeAgain(exchange)
        return Int(CURL_WRITEFUNC_PAUSE)
    }
}
