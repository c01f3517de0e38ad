import Foundation
import FoundationDouble
import Synchronization

/// A server of tus uploads and of others. It counts each byte of their bodies, and stays silent after a complete body until a test lets it
/// respond.
final class UploadServer: Sendable {
    fileprivate struct State {
        var mayAnswer = false
        var file = Data()
        var received: Int64 = 0
        var whole: Int?
        /// The complete bodies, by method and offset. The device asks again for a response that is pending.
        var bodies: [String] = []
    }

    private let state = Mutex(State())

    func answerNow() { state.withLock { $0.mayAnswer = true } }
    /// Bytes of bodies that arrived.
    var received: Int64 { state.withLock(\.received) }
    /// The length of the stored file or form.
    var length: Int64 { state.withLock { Int64($0.file.count) } }
    var isWhole: Bool { state.withLock { $0.whole.map { [file = $0.file] in file.count == $0 } ?? false } }

    func answer(_ request: URLRequest, _ body: Data) -> SimulatedNetwork.Answer? {
        state.withLock { state -> SimulatedNetwork.Answer? in
            let fields = ["Tus-Resumable": "1.0.0"]
            switch request.httpMethod {
            case "OPTIONS": return .init(204, ["Tus-Extension": "creation", "Tus-Resumable": "1.0.0"])
            case "HEAD": return .init(200, fields.merging(["Upload-Offset": "\(state.file.count)"]) { $1 })
            case "PATCH":
                if state.isNew(request), !state.receive(body, of: request) { return .init(409, fields) }
                guard state.mayAnswer else { return nil }
                return .init(204, fields.merging(["Upload-Offset": "\(state.file.count)"]) { $1 })
            case "POST" where request.url?.path == "/files":
                state.whole = request.value(forHTTPHeaderField: "Upload-Length").flatMap { Int($0) }
                return .init(201, fields.merging(["Location": "/files/1"]) { $1 })
            default:
                if state.isNew(request) {
                    (state.file, state.whole) = (body, body.count)
                    state.received += Int64(body.count)
                }
                return state.mayAnswer ? .init(201) : nil
            }
        }
    }

    /// Handles the received part of an interrupted body: tus keeps it, other servers discard it.
    func keep(_ request: URLRequest, _ body: Data) {
        state.withLock { state in
            if request.httpMethod == "PATCH" {
                state.receive(body, of: request)
            } else {
                state.received += Int64(body.count)
            }
        }
    }
}

extension UploadServer.State {
    fileprivate mutating func isNew(_ request: URLRequest) -> Bool {
        let name = "\(request.httpMethod ?? "") \(request.value(forHTTPHeaderField: "Upload-Offset") ?? "")"
        defer { bodies.append(name) }
        return !bodies.contains(name)
    }

    /// Returns whether the body belongs at the end of the file.
    @discardableResult
    fileprivate mutating func receive(_ body: Data, of request: URLRequest) -> Bool {
        received += Int64(body.count)
        guard let offset = request.value(forHTTPHeaderField: "Upload-Offset").flatMap({ Int($0) }), offset == file.count
        else { return false }
        file += body
        return true
    }
}
