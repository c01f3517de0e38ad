import Longhaul
import TestSupport
import Testing

/// Small requests whose callers wait for the response, or stop waiting.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct SmallRequestTests {
    static let executions: [TransferSession.Execution] = [.service, .inProcess()]

    private static func server(_ latch: Latch? = nil, status: Int = 200) throws -> NastyServer {
        var reply = Reply.status(status)
        reply.body = Array("sunny".utf8)
        reply.latch = latch
        return try NastyServer(routes: ["/weather": Route(reply)])
    }

    @Test(arguments: executions) func equalRequestsWithOneKeyAreSentOnce(
        _ execution: TransferSession.Execution
    ) async throws {
        let latch = Latch()
        let server = try Self.server(latch)
        let url = server.url("/weather")
        try await SessionWorld(execution).launch { session in
            let responses = try await withThrowingTaskGroup(of: ResponseSummary.self) { group in
                for _ in 0..<20 { group.addTask { try await session.request(url, key: "weather").response() } }
                try await latch.waitForArrivals()
                latch.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.allSatisfy { $0.status == 200 && $0.body == Array("sunny".utf8) })
            #expect(responses.count == 20)
        }
        #expect(server.requests(to: "/weather").count == 1)
    }

    /// The handler of a background task whose time is over: the same request continues, and a later caller gets its response.
    @Test(arguments: executions) func cancelledWaitDoesNotCancelTheRequest(
        _ execution: TransferSession.Execution
    ) async throws {
        let latch = Latch()
        let server = try Self.server(latch)
        let url = server.url("/weather")
        try await SessionWorld(execution).launch { session in
            let first = Task { try await session.request(url, key: "weather").response() }
            try await latch.waitForArrivals()
            first.cancel()
            let failure = await #expect(throws: TransferFailure.self) { try await first.value }
            #expect(failure?.code == .interrupted)
            latch.open()
            for try await event in session.events where event.transfer?.key == "weather" { break }
            let transfer = try #require(try await session.transfer(key: "weather"))
            #expect(try await transfer.response().body == Array("sunny".utf8))
            #expect(server.requests.count == 1)
            try await transfer.remove()
            #expect(try await session.request(url, key: "weather").response().status == 200)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [404, 200, 503]) func responseHasAnyStatus(status: Int) async throws {
        let server = try Self.server(status: status)
        var options = TransferOptions()
        options.retryLimit = 0
        try await SessionWorld(.inProcess()).launch { [options] session in
            let response = try await session.request(server.url("/weather"), options: options).response()
            #expect(response.status == status)
        }
    }

    @Test func requestWithoutAResponseThrowsItsFailure() async throws {
        var options = TransferOptions()
        options.retryLimit = 0
        try await SessionWorld(.inProcess()).launch { [options] session in
            let transfer = try await session.request("http://127.0.0.1:1/", options: options)
            let failure = await #expect(throws: TransferFailure.self) { try await transfer.response() }
            #expect(failure?.code == .connectionRefused)
        }
    }

    /// A response that the user waits for starts beyond the default limits, and not beyond a limit that was set.
    @Test func waitForAResponseExceedsTheDefaultLimits() async throws {
        let latch = Latch()
        let server = try NastyServer(routes: [
            "/busy": Route(.status(200).held(by: latch)), "/weather": Route(.status(200)),
        ])
        let url = server.url("/busy")
        try await SessionWorld(.inProcess()).launch { session in
            for _ in 0..<6 { try await session.request(url) }
            try await latch.waitForArrivals(6)
            #expect(try await session.request(server.url("/weather")).response().status == 200)
            latch.open()
        }
    }
}
