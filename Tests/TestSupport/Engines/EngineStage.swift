import Glibc
package import LonghaulCore

/// An exchange engine under the rules of `EngineRule`, with its servers and the log of its events.
package protocol EngineStage: AnyObject {
    var engine: any ExchangeEngine { get }
    /// All events so far, in order.
    var events: [(ticket: Ticket, event: EngineEvent)] { get }
    /// Whether an exchange continues after the process that started it has ended.
    var outlivesProcess: Bool { get }
    /// The length of the file that downloads get.
    var fileLength: Int64 { get }
    /// Returns the plan of a new exchange.
    func plan(_ kind: EngineExchange) throws -> ExchangePlan
    /// Returns the length of a partial file; `nil` if it does not exist.
    func length(of path: String) -> Int64?
    /// Lets some time pass: an engine that tests control takes one step.
    func advance()
    /// The server responds to pending uploads.
    func answer()
    /// The process ends, and the next one creates its engine.
    func restart() throws
}

extension EngineStage {
    package var outlivesProcess: Bool { engine.traits.outlivesProcess }
    package var fileLength: Int64 { 150_000 }
    /// The length of the partial file whose rest is requested.
    package var keptLength: Int64 { fileLength / 3 }

    package func length(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}

/// The exchanges that a stage offers.
package enum EngineExchange: CaseIterable, Sendable {
    /// A request without a body, with a response in memory.
    case request
    /// An upload whose last bytes are held back if the engine can do that.
    case heldUpload
    /// An upload whose response is pending until the server answers.
    case pendingUpload
    /// The download of a whole file.
    case download
    /// The rest of a file that has changed since. Its server sends the whole new file.
    case changedDownload

    package static let bodyLength: Int64 = 200_000
}

extension EngineStage {
    /// Returns the plan of an exchange with a server at this URL, where the file's present entity tag is `"2"`.
    package func plan(
        _ kind: EngineExchange, url: String, partial path: String, network: NetworkOptions = NetworkOptions()
    ) -> ExchangePlan {
        var (method, body): (String, BodyPlan?) = ("GET", nil)
        var (headers, sink): ([HeaderField], SinkPlan) = ([], .memory(limit: 1_000))
        switch kind {
        case .request: break
        case .heldUpload, .pendingUpload:
            let bytes = [UInt8](repeating: 7, count: Int(EngineExchange.bodyLength))
            method = kind == .heldUpload ? "POST" : "PUT"
            body = BodyPlan(
                segments: [.bytes(bytes)], length: EngineExchange.bodyLength, holdsLastBytes: kind == .heldUpload)
        case .download: sink = .partial(PartialPlan(path: path, resume: nil, digests: []))
        case .changedDownload:
            let point = ResumePoint(
                length: keptLength, overlap: 0,
                validators: Validators(entityTag: "\"1\"", lastModified: nil, isSoft: false, total: fileLength))
            headers = [HeaderField("Range", "bytes=\(keptLength)-"), HeaderField("If-Range", "\"1\"")]
            sink = .partial(PartialPlan(path: path, resume: point, digests: []))
        }
        return ExchangePlan(
            method: method, url: url, headers: headers, body: body, sink: sink, network: CopyOnWrite(network),
            followsOnlyRepeatingRedirects: body != nil)
    }
}

extension ExchangePlan {
    /// The partial file.
    package var partialPath: String? {
        guard case .partial(let plan) = sink else { return nil }
        return plan.path
    }
}
