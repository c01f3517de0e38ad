import LonghaulCore

/// The possible events of an engine, with any numbers that a server or a file may have.
extension Dice {
    mutating func answer(to step: TransferStep) -> EngineEvent {
        switch step {
        case .inspecting: return .sourcesInspected([.success(below(4) == 0 ? pin() : Samples.source.pin)])
        case .measuring: return .partialMeasured(.success(below(4) == 0 ? nil : length()))
        case .downloading(let resume): return download(resume)
        case .checking:
            let (start, end) = (length(), length())
            let good = SegmentMap([0..<length(), min(start, end)..<max(start, end)])
            return .piecesChecked(.success(PieceReport(good: good, isSourceWhole: below(4) == 0)))
        case .placing:
            if below(3) == 0 { return .placed(.failure(TransferFailure(.digestMismatch, "wrong"))) }
            return .placed(.success(PlacedFile(path: "/tmp/files/film.mp4", leavesPartialFile: true)))
        case .sending: return below(4) == 0 ? one(of: [.lastBytesHeld, .bodySent, .allowanceUsed]) : ended()
        case .patching: return below(4) == 0 ? .bodySent : ended()
        case .discovering, .creating, .asking: return ended()
        case .stopping(let stopped): return below(2) == 0 ? answer(to: stopped) : cancelled(stopped)
        }
    }

    private mutating func download(_ resume: ResumePoint?) -> EngineEvent {
        switch below(10) {
        case 9:
            let url = "http://\(below(3)).example.org/film.mp4"
            return .places([
                MirrorSelector.Statistics(url: url, bytes: length(), rate: length(), isOfOtherVersion: below(4) == 0)
            ])
        case 0: return .checkpoint(length())
        case 8:
            let (start, end) = (length(), length())
            return .parts(SegmentMap([0..<length(), min(start, end)..<max(start, end)]))
        case 1: return .receiving(head())
        case 2: return resume == nil ? .receiving(head()) : .head(head())
        case 3:
            return exchange(
                .refused(one(of: [.alreadyComplete, .changed, .lengthUnknown, .status, .unproved(.noDate)])))
        case 4: return exchange(.refused(.rangeUnusable("It is odd.")))
        case 5: return exchange(resume == nil ? .held(length: length()) : .overlapDiffers)
        default: return exchange(.written(length: length(), isComplete: below(2) == 0))
        }
    }

    private mutating func ended() -> EngineEvent { exchange(.none) }

    private mutating func exchange(_ disposition: ExchangeOutcome.Disposition) -> EngineEvent {
        let codes: [FailureCode] = [.connectionLost, .offline, .diskFull, .timedOut, .certificateRejected]
        let ending: ExchangeOutcome.Ending =
            below(4) == 0 ? .broke(TransferFailure(one(of: codes), "It broke.")) : .responded
        return .exchangeEnded(
            ExchangeOutcome(
                ending: ending, head: head(), disposition: disposition, requestLeft: below(2) == 0, bytesSent: length(),
                bytesReceived: length(), mayHaveArrived: below(3) == 0))
    }

    private func cancelled(_ step: TransferStep) -> EngineEvent {
        switch step {
        case .inspecting: .sourcesInspected([.failure(TransferFailure(.interrupted, "It was stopped."))])
        case .measuring: .partialMeasured(.success(nil))
        case .checking: .piecesChecked(.failure(TransferFailure(.interrupted, "It was stopped.")))
        case .placing: .placed(.failure(TransferFailure(.interrupted, "It was stopped.")))
        case .downloading, .sending, .discovering, .creating, .asking, .patching, .stopping:
            .exchangeEnded(ExchangeOutcome(ending: .cancelled))
        }
    }

    /// The length of a file or a count of bytes, which no system reports as negative.
    private mutating func length() -> Int64 { number() & .max }

    private mutating func pin() -> SourcePin {
        SourcePin(size: length(), modified: number(), inode: UInt64(bitPattern: number()), device: 1)
    }

    private mutating func head() -> ResponseHead {
        let statuses = [200, 200, 201, 204, 206, 301, 401, 403, 404, 409, 410, 412, 416, 429, 500, 503]
        var headers = [HeaderField("Tus-Resumable", "1.0.0"), HeaderField("Tus-Version", "1.0.0")]
        let names = [
            "Content-Length", "Upload-Offset", "Upload-Length", "Tus-Max-Size", "Retry-After", "Content-Range", "ETag",
            "Location", "Date", "Upload-Expires", "Last-Modified",
        ]
        for _ in 0..<below(8) { headers.append(field(one(of: names))) }
        return ResponseHead(
            status: one(of: statuses), headers: headers, effectiveURL: "http://example.org/film.mp4")
    }

    private mutating func field(_ name: String) -> HeaderField {
        switch name {
        case "Content-Range": HeaderField(name, "bytes \(length())-\(length())/\(length())")
        case "ETag": HeaderField(name, "\"\(below(3))\"")
        case "Location": HeaderField(name, one(of: ["/files/a", "http://other.org/b", ""]))
        case "Date", "Upload-Expires", "Last-Modified":
            HeaderField(name, HTTPDate.format(WallTime(microseconds: number())))
        default: HeaderField(name, String(number()))
        }
    }
}
