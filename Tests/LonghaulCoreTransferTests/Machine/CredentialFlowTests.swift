import Testing

@testable import LonghaulCore

/// A transfer whose named credential is missing, refused, or supplied.
@Suite struct CredentialFlowTests {
    private static let name = CredentialName("photos")!
    private static let none = TransferFailure(.credentialsRequired, "No helper has a password.")

    private func download(_ kind: CredentialKind = .authorization) -> MachineFixture {
        .download {
            $0.options.credentialName = Self.name
            $0.options.credentialKind = kind
            $0.options.retryLimit = 0
        }
    }

    private func waiting(_ world: MachineFixture) -> Waiting? {
        guard case .waiting(let waiting) = world.state else { return nil }
        return waiting
    }

    private func refuse(_ world: inout MachineFixture, _ status: Int = 401) {
        world.feed(.turnGranted)
        world.engine(.refused(.status, .ok(status)))
    }

    @Test func theExchangeNamesWhatItNeedsAndHoldsNoSecret() throws {
        var world = download()
        let plan = try #require(world.feed(.turnGranted).exchange)
        #expect(plan.credential == CredentialScope(name: Self.name, origin: "http://example.org:80"))
        #expect(plan.headers.allSatisfy { !$0.isSecret })
    }

    @Test func theUserOfTheURLBelongsToTheQuestion() {
        let world = MachineFixture.download {
            $0.url = "http://ad%61:pw@example.org:81/film.mp4"
            $0.options.credentialName = Self.name
        }
        let scope = world.machine.credentialScopes.first
        #expect(scope == CredentialScope(name: Self.name, origin: "http://example.org:81", userName: "ada"))
        #expect(scope.map(world.machine.credentialRequest)?.url == "http://example.org:81/")
    }

    @Test func withoutItNothingIsSentAndNoAttemptIsCounted() {
        var world = download()
        #expect(world.feed(.credentialsMissing).isEmpty)
        #expect(world.state == .waiting(Waiting(.credentials, since: world.now)))
        #expect(world.facts.attempts == 0)
        world.feed(.credentialsGiven)
        #expect(waiting(world)?.reason == .turn)
    }

    @Test func itsDisappearanceInTheMiddleOfAnAttemptIsWaitedFor() {
        var world = MachineFixture.tus { $0.options.credentialName = Self.name }
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.feed(.credentialsMissing)
        #expect(world.machine.step == nil && waiting(world)?.reason == .credentials)
    }

    @Test func aPauseThatComesBetweenTheDecisionAndTheExchangeIsObeyed() {
        var world = download()
        world.feed(.turnGranted)
        #expect(world.feed(.command(.pause)) == [.stop])
        world.feed(.credentialsMissing)
        #expect(world.state == .paused && world.machine.step == nil)
        world.feed(.command(.resume))
        #expect(waiting(world)?.reason == .turn)
    }

    @Test func firstRefusalRequestsCredentialsAndSecondIsReported() {
        var world = download()
        refuse(&world)
        #expect(waiting(world)?.reason == .credentials && waiting(world)?.failure == nil)
        #expect(world.facts.failuresInARow == 0)
        world.feed(.credentialsGiven)
        refuse(&world)
        #expect(waiting(world)?.failure?.code == .credentialsRequired)
        #expect(waiting(world)?.failure?.message.contains("photos") == true)
        // The user retries: the count restarts.
        world.feed(.command(.retry))
        refuse(&world)
        #expect(waiting(world)?.failure == nil && waiting(world)?.reason == .credentials)
    }

    @Test func acceptedCredentialMayBeRefusedLater() {
        var world = download()
        refuse(&world)
        world.feed(.credentialsGiven)
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.written(500, complete: false))
        for _ in 0..<3 {
            world.feed(.command(.retry))
            world.feed(.turnGranted)
            world.engine(.partialMeasured(.success(500)))
            world.engine(.refused(.status, .ok(401)))
            #expect(waiting(world)?.failure == nil && waiting(world)?.reason == .credentials)
            world.feed(.credentialsGiven)
            world.feed(.turnGranted)
            world.engine(.partialMeasured(.success(500)))
            world.engine(.receiving(.ok(206)))
            world.engine(.broke(.connectionLost))
        }
    }

    @Test func theBytesStayWhileItWaits() throws {
        var world = download()
        world.feed(.turnGranted)
        world.engine(.receiving(.file()))
        world.engine(.checkpoint(400))
        world.engine(.written(600, complete: false))
        world.feed(.command(.retry))
        world.feed(.turnGranted)
        world.engine(.partialMeasured(.success(600)))
        world.engine(.refused(.status, .ok(401)))
        world.feed(.credentialsUnavailable(Self.none))
        #expect(waiting(world)?.failure == Self.none && world.facts.cleanup.isEmpty)
        #expect(world.crash().isEmpty, "waiting needs nothing after a crash")
        world.feed(.credentialsMissing)
        world.feed(.credentialsGiven)
        #expect(world.feed(.turnGranted).exchange == nil)
        let plan = try #require(world.engine(.partialMeasured(.success(600))).exchange)
        #expect(plan.headers.single("Range") != nil && plan.headers.single("If-Range") == "\"one\"")
    }

    @Test func aRefusalFromWhereARedirectLedIsNotAboutIt() {
        var world = download()
        world.feed(.turnGranted)
        let head = ResponseHead(status: 401, headers: [], effectiveURL: "http://other.org/film.mp4")
        world.engine(.refused(.status, head))
        guard case .failed(let failure) = world.state else { return #expect(Bool(false), "\(world.state)") }
        #expect(failure.code == .credentialsRequired)
    }

    @Test func withoutANameARefusalEndsAndKeepsTheBytes() {
        var world = MachineFixture.download()
        refuse(&world)
        guard case .failed(let failure) = world.state else { return #expect(Bool(false)) }
        #expect(failure.code == .credentialsRequired && failure.message.contains("a user name and a password"))
        #expect(world.facts.cleanup.isEmpty)
    }

    @Test(arguments: [401, 403, 410]) func expiredURLRequestsReplacementFromProvider(_ status: Int) throws {
        var world = download(.url)
        refuse(&world, status)
        #expect(waiting(world)?.reason == .credentials && waiting(world)?.failure == nil)
        let scope = try #require(world.machine.credentialScopes.first)
        let request = world.machine.credentialRequest(for: scope)
        #expect(request.kind == .url && request.isRenewal && request.transfer == world.machine.record.id)
        world.feed(.urlGiven(Replacement(url: "http://example.org/film.mp4?fresh")))
        #expect(world.feed(.turnGranted).exchange?.url == "http://example.org/film.mp4?fresh")
        world.engine(.refused(.status, .ok(status)))
        #expect(waiting(world)?.failure?.code == .credentialsRequired)
    }

    @Test func aURLThatComesTooLateChangesNothing() {
        var world = download(.url)
        refuse(&world, 403)
        world.feed(.command(.cancel))
        let before = world.machine
        world.feed(.urlGiven(Replacement(url: "http://example.org/other")))
        #expect(world.machine == before)
    }

    @Test func aRequestThatMustNotBeRepeatedIsSentAgainAfterARefusal() {
        var world = MachineFixture.upload("POST") { $0.options.credentialName = Self.name }
        world.feed(.turnGranted)
        world.engine(.lastBytesHeld)
        world.engine(
            .ended(ResponseHead(status: 401, headers: [], effectiveURL: "http://example.org/in")))
        #expect(waiting(world)?.reason == .credentials, "401 says that nothing was done")
    }

    @Test func aCreationThatWasRedirectedTakesNoSecretToTheOtherHost() throws {
        var world = MachineFixture.tus { $0.headers = [HeaderField("Authorization", "secret"), HeaderField("X", "y")] }
        world.feed(.turnGranted)
        world.engine(.sourcesInspected([.success(MachineFixture.pin)]))
        world.engine(.ended(.tus(204, [HeaderField("Tus-Extension", "creation")])))
        let created = ResponseHead(
            status: 201, headers: [HeaderField("Location", "/files/1"), HeaderField("Tus-Resumable", "1.0.0")],
            effectiveURL: "http://other.org/files")
        let plan = try #require(world.engine(.ended(created)).exchange)
        #expect(plan.url == "http://other.org/files/1")
        #expect(plan.headers.single("Authorization") == nil && plan.headers.single("X") == "y")
    }
}
