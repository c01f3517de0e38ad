import Foundation
import Glibc

/// `aria2c` that is controlled by RPC and keeps running.
struct Aria2 {
    private let pid: pid_t
    private let port: UInt16

    init(_ arguments: [String]) throws {
        port = try Loopback.freePort()
        pid = try ChildRun(
            arguments: ["aria2c", "--no-conf", "--enable-rpc", "--rpc-listen-port=\(port)"] + arguments
        ).start()
    }

    var meter: ProcessMeter { ProcessMeter(pid: pid) }

    func end() {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Waits until its own count of transfers holds all these words.
    func wait(until words: String...) throws {
        let body = #"{"jsonrpc":"2.0","id":"1","method":"aria2.getGlobalStat"}"#
        let begin = Clock.now
        while Clock.now - begin < 120 {
            if let answer = try? ask(body), words.allSatisfy(answer.contains) { return }
            usleep(10_000)
        }
        throw BenchFailure("aria2c did not come so far in two minutes")
    }

    private func ask(_ body: String) throws -> String {
        let socket = try Loopback.connect(port: port)
        defer { close(socket) }
        let request = Array(
            "POST /jsonrpc HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        send(socket, request, request.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = recv(socket, &buffer, buffer.count, 0)
            guard got > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer.prefix(got)
        }
    }
}
