import LonghaulCore
import LonghaulIPC
import LonghaulSystem
import TestSupport

/// A `SocketServer` on a separate thread, whose requests a test answers.
final class TestServer: Sendable {
    typealias Answer = @Sendable (ServerMailbox, RequestKey, ClientMessage) -> Void

    let directory: TemporaryDirectory
    let mailbox: ServerMailbox
    let requests = Mailbox<RequestKey>()
    let departures = Mailbox<ClientNumber>()
    private let thread: NativeThread

    /// Answers every request with `done` by default.
    init(
        limits: ServerLimits = ServerLimits(),
        answer: @escaping Answer = { mailbox, key, _ in mailbox.reply(.done, to: key) }
    ) throws {
        mailbox = try ServerMailbox()
        directory = try TemporaryDirectory()
        try PrivateDirectory.create(directory.path("longhaul"), mayTighten: false)
        let listener = try UnixSocket.listen(path: directory.path("longhaul/socket"))
        thread = NativeThread { [mailbox, requests, departures] in
            let handler = SocketServer.Handler(
                request: { key, message in
                    requests.append(key)
                    answer(mailbox, key, message)
                }, clientLeft: { departures.append($0) })
            guard
                let server = try? SocketServer(
                    listener: listener, mailbox: mailbox, limits: limits, program: "test", handler: handler)
            else { fatalError("The test's server has no poller.") }
            server.run { _ in nil }
            server.finish(within: .seconds(1))
        }
    }

    deinit {
        stop()
        thread.join()
    }

    var socketPath: String { directory.path("longhaul/socket") }

    /// The environment of a client of this server.
    var environment: [String: String] {
        ["XDG_RUNTIME_DIR": directory.path("none"), "XDG_STATE_HOME": directory.path, "HOME": directory.path]
    }

    func stop() {
        mailbox.stop()
    }
}
