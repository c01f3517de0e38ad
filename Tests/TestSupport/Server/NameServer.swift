import Glibc
import LonghaulCore

/// A name server (DNS over UDP) that answers all queries as its test says.
package final class NameServer: Sendable {
    package enum Answer: Equatable, Sendable {
        /// This address of IPv4 for each name.
        case address(String)
        case silence
        /// The name exists and has no address.
        case noData
        case noSuchName
        case failure
        case refusal

        fileprivate var code: UInt8 {
            switch self {
            case .address, .silence, .noData: 0
            case .failure: 2
            case .noSuchName: 3
            case .refusal: 5
            }
        }
    }

    private struct State: Sendable {
        var answer: Answer
        var questions = 0
        var isStopping = false
    }

    private let state: Monitor<State>

    /// Answers at `address` in a network.
    package init(_ answer: Answer, in network: NetworkNamespace, at address: String = WiredMachine.serverAddress) throws
    {
        state = Monitor(State(answer: answer))
        let socket = try network.inside { try Self.open(address) }
        startThread { [state] in
            defer { close(socket) }
            var buffer = [UInt8](repeating: 0, count: 2_048)
            var peer = sockaddr_in()
            while !state.value.isStopping {
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = LoopbackAddress.with(&peer) { from, _ in
                    recvfrom(socket, &buffer, buffer.count, 0, from, &size)
                }
                guard count > 12 else { continue }
                let answer = state.update { state in
                    state.questions += 1
                    return state.answer
                }
                guard let bytes = Self.reply(to: buffer[..<count], answer) else { continue }
                _ = LoopbackAddress.with(&peer) { sendto(socket, bytes, bytes.count, 0, $0, $1) }
            }
        }
    }

    deinit { state.update { $0.isStopping = true } }

    package func answer(_ answer: Answer) { state.update { $0.answer = answer } }

    /// The number of queries received.
    package var questions: Int { state.value.questions }

    /// Blocks until the given number of queries were received.
    package func waitForQuestions(_ count: Int) async throws {
        try await aside { [state] in
            try state.wait(for: "\(count) questions to the name server") { $0.questions >= count ? () : nil }
        }
    }

    private static func open(_ text: String) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = LoopbackAddress.make(port: 53)
        address.sin_addr.s_addr = inet_addr(text)
        guard LoopbackAddress.with(&address, { bind(descriptor, $0, $1) }) == 0 else {
            throw TransferFailure(.internalFault, "no name server at \(text)", origin: .system(Int(errno)))
        }
        // Only so that it ends some time after the test.
        var limit = timeval(tv_sec: 0, tv_usec: 200_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// RFC 1035, section 4.1: the header, the question, and one record that points to its name.
    private static func reply(to question: ArraySlice<UInt8>, _ answer: Answer) -> [UInt8]? {
        guard answer != .silence else { return nil }
        let question = Array(question)
        var end = 12
        while end < question.count, question[end] != 0 { end += Int(question[end]) + 1 }
        guard end + 5 <= question.count else { return nil }
        var record: [UInt8] = []
        // Type A, class IN; other types have no record.
        if case .address(let text) = answer, question[end + 2] == 1 {
            let address = withUnsafeBytes(of: inet_addr(text)) { Array($0) }
            record = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4] + address
        }
        let flags: [UInt8] = [0x81, 0x80 | answer.code]
        return question[..<2] + flags + [0, 1, 0, record.isEmpty ? 0 : 1, 0, 0, 0, 0] + question[12..<end + 5] + record
    }
}
