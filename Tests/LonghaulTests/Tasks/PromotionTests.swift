import Longhaul
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"), .onEachTransport)
struct PromotionTests {
    static let executions: [TransferSession.Execution] = [.service, .inProcess]

    private static func server(_ gate: Gate? = nil, status: Int = 200) throws -> NastyServer {
        var reply = Reply.status(status)
        reply.body = Array("sunny".utf8)
        reply.gate = gate
        return try NastyServer(routes: ["/weather": Route(reply)])
    }

    @Test(arguments: executions) func identicalRequestsAreOne(_ execution: TransferSession.Execution) async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let request = DataRequest(server.url("/weather"), headers: [HeaderField("X-Place", "Berlin")])
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let answers = try await withThrowingTaskGroup(of: ResponseSummary.self) { group in
                for _ in 0..<20 { group.addTask { try await session.data(for: request) } }
                try await gate.waitForArrivals()
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.body == Array("sunny".utf8) })
            #expect(answers.count == 20)
            #expect(try await session.list().isEmpty, "the answer was given, and is forgotten")
        }
        // Some may have come when the first answer had been given.
        #expect(server.requests(to: "/weather").count == 1)
    }

    /// Some find the request that the others' answer is just being forgotten of.
    @Test(arguments: executions)
    func whoComesWhileTheAnswerIsGivenGetsOneToo(_ execution: TransferSession.Execution) async throws {
        let server = try Self.server()
        let request = DataRequest(server.url("/weather"))
        let world = try SessionWorld(execution)
        try await world.launch { session in
            try await withThrowingTaskGroup(of: ResponseSummary.self) { group in
                for number in 0..<300 {
                    group.addTask { try await session.data(for: request) }
                    if number % 5 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
                for try await answer in group { #expect(answer.body == Array("sunny".utf8)) }
            }
            #expect(try await session.list().isEmpty)
        }
    }

    @Test(arguments: executions)
    func whoeverIsCancelledLeavesTheRequestToWhoAsksNext(_ execution: TransferSession.Execution) async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let request = DataRequest(server.url("/weather"))
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let first = Task { try await session.data(for: request) }
            try await gate.waitForArrivals()
            first.cancel()
            let failure = await #expect(throws: TransferFailure.self) { try await first.value }
            #expect(failure?.code == .interrupted)
            let second = Task { try await session.data(for: request) }
            gate.open()
            #expect(try await second.value.body == Array("sunny".utf8))
        }
        #expect(server.requests.count == 1)
    }

    /// The write-up's own way of promoting, around ours: still one request.
    @Test(arguments: executions) func aCancellationHandlerAroundItWorksAsExpected(
        _ execution: TransferSession.Execution
    ) async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let request = DataRequest(server.url("/weather"))
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let (promoted, promote) = AsyncStream<Void>.makeStream()
            let handler = Task {
                try await withTaskCancellationHandler {
                    try await session.data(for: request)
                } onCancel: {
                    promote.yield()
                }
            }
            try await gate.waitForArrivals()
            handler.cancel()
            for await _ in promoted { break }
            let answer = Task { try await session.data(for: request) }
            gate.open()
            #expect(try await answer.value.status == 200)
        }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: executions)
    func anAnswerThatNobodyTookIsAnEventAndGivenOnceWhileItIsFresh(_ execution: TransferSession.Execution) async throws
    {
        let gate = Gate()
        let server = try Self.server(gate)
        let request = DataRequest(server.url("/weather"))
        let world = try SessionWorld(execution)
        try await world.launch { session in
            let first = Task { try await session.data(for: request) }
            try await gate.waitForArrivals()
            first.cancel()
            _ = await first.result
            gate.open()
            for try await event in session.events where event.transfer?.key == request.key { break }
            #expect(try await session.data(for: request).status == 200)
            #expect(server.requests.count == 1)
            #expect(try await session.data(for: request).status == 200)
            #expect(server.requests.count == 2)
        }
    }

    @Test func anOldAnswerIsNoAnswer() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        var request = DataRequest(server.url("/weather"))
        let world = try SessionWorld(.inProcess)
        try await world.launch { session in
            let first = Task { [request] in try await session.data(for: request) }
            try await gate.waitForArrivals()
            first.cancel()
            _ = await first.result
            gate.open()
            for try await event in session.events where event.transfer?.key == request.key { break }
            request.answerLifetime = .zero
            #expect(try await session.data(for: request).status == 200)
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [404, 200]) func everyStatusIsAnAnswer(status: Int) async throws {
        let server = try Self.server(status: status)
        let world = try SessionWorld(.inProcess)
        try await world.launch { session in
            let answer = try await session.data(for: DataRequest(server.url("/weather")))
            #expect(answer.status == status)
        }
    }

    @Test func whatDiffersIsNotIdentical() {
        let request = DataRequest("http://a.test/")
        var others = [request, request, request, request]
        others[0].url += "b"
        others[1].method = "POST"
        others[2].headers = [HeaderField("Authorization", "secret")]
        others[3].body = [1]
        #expect(Set((others + [request]).map(\.key)).count == 5)
        #expect(others.allSatisfy { !$0.key.contains("secret") && $0.key == $0.key })
    }
}
