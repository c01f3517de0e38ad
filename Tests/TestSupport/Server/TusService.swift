package import LonghaulCore

/// A tus 1.0 server in memory: creation, expiration, termination. Set its `route` in a `NastyServer` under its path
/// followed by `*`. Faults are queued per method with `script` and used one by one.
package final class TusService: Sendable {
    package struct Upload: Sendable {
        package var path: String
        package var length: Int64
        package var metadata: String?
        package internal(set) var offset: Int64 = 0
        /// The number of HEAD requests for it.
        var visits = 0
        /// The first bytes, up to the limit.
        package internal(set) var bytes: [UInt8] = []
        /// The checksum of all appended bytes; `nil` after the upload went backwards.
        package internal(set) var checksum: Checksum? = Checksum()
    }

    package enum Fault: Sendable {
        /// Handles this request correctly.
        case none
        /// PATCH: accepts this many bytes of the body, then ends the connection.
        case cut(after: Int64)
        case reset(after: Int64)
        /// PATCH: accepts this many bytes, and stops reading until the latch opens. Later bytes are dropped if the
        /// client queried the upload meanwhile: servers end a request that blocks the next one.
        case stall(after: Int64, Latch)
        /// Performs the request, and ends the connection instead of responding.
        case loseReply
        /// Performs the request, and responds when the latch opens.
        case holdReply(Latch)
        /// Ignores the request and responds with this status (423, 503 …). A PATCH body is read and dropped.
        case answer(Int, [HeaderField] = [])
        /// Performs the request and responds with this status.
        case answerAfterwards(Int)
        /// Sends an `Upload-Offset` with this error.
        case offsetOff(by: Int64)
        /// Sends no `Upload-Offset`.
        case noOffset
        /// PATCH: keeps only this many bytes of the body, and reports that.
        case keepOnly(Int64)
        /// Forgets the upload first: 404 or 410.
        case gone(Int)
        /// Loses bytes first: the upload goes back to this offset.
        case goBackwards(to: Int64)
    }

    private struct State: Sendable {
        var uploads: [String: Upload] = [:]
        var order: [String] = []
        var faults: [String: [Fault]] = [:]
        var expires: WallTime?
        var maximum: Int64?
    }

    private let path: String
    private let keptBytes: Int
    private let state = Monitor(State())

    /// `path` ends with a slash; a POST to it creates an upload below it.
    package init(path: String, keepingBytes keptBytes: Int = 16 << 20) {
        self.path = path
        self.keptBytes = keptBytes
    }

    package var route: Route { .decided { [self] request, _ in reply(to: request) } }

    /// Every upload that was created and not terminated, in order.
    package var uploads: [Upload] {
        let state = state.value
        return state.order.compactMap { state.uploads[$0] }
    }

    /// Queues faults for the next requests of a method.
    package func script(_ method: String, _ faults: Fault...) {
        state.update { $0.faults[method, default: []] += faults }
    }

    /// Sets `Upload-Expires`.
    package func setExpires(_ date: WallTime?) {
        state.update { $0.expires = date }
    }

    /// Sets `Tus-Max-Size`; longer uploads get 413.
    package func setMaximum(_ length: Int64?) {
        state.update { $0.maximum = length }
    }

    /// Forgets every upload.
    package func forgetUploads() {
        state.update { $0.uploads = [:] }
    }

    private func reply(to request: ReceivedRequest) -> Reply {
        let fault = state.update { state -> Fault in
            guard state.faults[request.method]?.isEmpty == false else { return .none }
            return state.faults[request.method]!.removeFirst()
        }
        switch fault {
        case .answer(let status, let headers): return resumable(status, headers)
        case .gone(let status):
            state.update { $0.uploads[request.path] = nil }
            return resumable(status)
        case .goBackwards(let offset): goBack(request.path, to: offset)
        default: break
        }
        let reply =
            switch request.method {
            case "OPTIONS": options()
            case "POST": create(request)
            case "HEAD": head(request.path)
            case "PATCH": patch(request, fault)
            case "DELETE": terminate(request.path)
            default: resumable(405)
            }
        return spoiled(reply, by: fault)
    }

    /// Applies a fault to a finished reply; a PATCH is finished when its body has arrived.
    private func spoiled(_ reply: Reply, by fault: Fault) -> Reply {
        reply.with { reply in
            if let afterBody = reply.afterBody {
                reply.afterBody = { self.spoiled(afterBody($0), by: fault) }
                return
            }
            switch fault {
            case .loseReply: reply.ending = .closesUnanswered
            case .holdReply(let latch): reply.latch = latch
            case .answerAfterwards(let status): reply.status = status
            case .offsetOff(let shift):
                let offset = reply.headers.single("Upload-Offset").flatMap(Int64.init) ?? 0
                reply.headers.removeAll { $0.name == "Upload-Offset" }
                reply.headers.append(HeaderField("Upload-Offset", "\(offset + shift)"))
            case .noOffset: reply.headers.removeAll { $0.name == "Upload-Offset" }
            case .none, .cut, .reset, .stall, .answer, .keepOnly, .gone, .goBackwards: break
            }
        }
    }

    private func options() -> Reply {
        var headers = [
            HeaderField("Tus-Version", "1.0.0"), HeaderField("Tus-Extension", "creation,expiration,termination"),
        ]
        if let maximum = state.value.maximum { headers.append(HeaderField("Tus-Max-Size", "\(maximum)")) }
        return resumable(204, headers)
    }

    private func create(_ request: ReceivedRequest) -> Reply {
        guard let length = request.header("Upload-Length").flatMap(Int64.init), length >= 0 else {
            return resumable(400)
        }
        return state.update { state in
            if let maximum = state.maximum, length > maximum { return resumable(413) }
            let place = "\(path)\(state.order.count + 1)"
            state.order.append(place)
            state.uploads[place] = Upload(path: place, length: length, metadata: request.header("Upload-Metadata"))
            return resumable(201, [HeaderField("Location", place)] + Self.expiry(state))
        }
    }

    private func head(_ place: String) -> Reply {
        let found = state.update { state in
            state.uploads[place]?.visits += 1
            return state.uploads[place]
        }
        guard let upload = found else { return resumable(404) }
        return resumable(
            200,
            [
                HeaderField("Upload-Offset", "\(upload.offset)"), HeaderField("Upload-Length", "\(upload.length)"),
                HeaderField("Cache-Control", "no-store"),
            ])
    }

    private func patch(_ request: ReceivedRequest, _ fault: Fault) -> Reply {
        guard let upload = state.value.uploads[request.path] else { return resumable(404) }
        guard request.header("Content-Type") == "application/offset+octet-stream" else { return resumable(415) }
        guard let offset = request.header("Upload-Offset").flatMap(Int64.init) else { return resumable(400) }
        guard offset == upload.offset else { return resumable(409) }
        let keptUntil = if case .keepOnly(let count) = fault { offset + count } else { upload.length }
        return Reply().with { reply in
            switch fault {
            case .cut(let count): reply.intake = .cut(after: count)
            case .reset(let count): reply.intake = .reset(after: count)
            case .stall(let count, let latch): reply.intake = .stall(after: count, latch)
            default: break
            }
            reply.onBody = { [self] in append($0, to: request.path, until: keptUntil, visits: upload.visits) }
            reply.afterBody = { [self] _ in
                let state = state.value
                guard let upload = state.uploads[request.path] else { return resumable(410) }
                return resumable(204, [HeaderField("Upload-Offset", "\(upload.offset)")] + Self.expiry(state))
            }
        }
    }

    private func terminate(_ place: String) -> Reply {
        state.update { resumable($0.uploads.removeValue(forKey: place) == nil ? 404 : 204) }
    }

    /// Appends bytes, unless the upload was queried more often than `visits`. A query returns a final offset: the rest
    /// of a body whose sender has disconnected must not follow it.
    private func append(_ bytes: UnsafeRawBufferPointer, to place: String, until limit: Int64, visits: Int) {
        state.update { state in
            if state.uploads[place]?.visits != visits { return }
            guard var upload = state.uploads.removeValue(forKey: place) else { return }
            let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(max(0, limit - upload.offset))))
            let room = keptBytes - upload.bytes.count
            if room > 0 { upload.bytes.append(contentsOf: taken.prefix(room)) }
            upload.checksum?.add(taken)
            upload.offset += Int64(taken.count)
            state.uploads[place] = upload
        }
    }

    private func goBack(_ place: String, to offset: Int64) {
        state.update { state in
            guard var upload = state.uploads[place], offset < upload.offset else { return }
            upload.offset = offset
            upload.bytes = Array(upload.bytes.prefix(Int(offset)))
            upload.checksum = upload.bytes.count == Int(offset) ? Checksum(of: upload.bytes) : nil
            state.uploads[place] = upload
        }
    }

    private func resumable(_ status: Int, _ headers: [HeaderField] = []) -> Reply {
        .status(status, headers: [HeaderField("Tus-Resumable", "1.0.0")] + headers)
    }

    private static func expiry(_ state: State) -> [HeaderField] {
        state.expires.map { [HeaderField("Upload-Expires", HTTPDate.text($0))] } ?? []
    }
}
