import Foundation
import FoundationDouble
import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulURLSession

/// Redirects and challenges: the foreground session decides as the Linux engine does, and the background session does not ask.
extension AppleSystems {
    @Suite struct RedirectTests {
        /// A server that redirects `/a` and accepts everything else.
        private static func redirect(_ status: Int, to target: String, in world: SystemWorld) {
            world.device.changeNetwork {
                $0.server = { request, body in
                    guard request.url?.path == "/a" else { return SystemWorld.answer(request, body) }
                    return .init(status, ["Location": target])
                }
            }
        }

        private static func outcome(_ id: TransferID, _ world: SystemWorld) async throws -> FailureCode? {
            try await world.go("it ends") { try await world.state(id).isEnded }
            guard case .failed(let failure) = try await world.state(id) else { return nil }
            return failure.code
        }

        private static func paths(_ world: SystemWorld) -> [String] {
            world.device.network.requests.map { "\($0.request.httpMethod ?? "") \($0.request.url?.path ?? "")" }
        }

        @Test(arguments: [307, 308]) func repeatedUploadIsFollowed(_ status: Int) async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(status, to: "/b", in: world)
            let put = try await world.submit(world.upload("PUT", 1_000))
            #expect(try await Self.outcome(put, world) == nil)
            #expect(Self.paths(world) == ["PUT /a", "PUT /b"])
            #expect(world.device.network.requests.last?.body.count == 1_000)
            world.end()
        }

        @Test(arguments: ["PUT", "POST"], [301, 302, 303])
        func changedUploadIsRefused(_ method: String, _ status: Int) async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(status, to: "/b", in: world)
            let upload = try await world.submit(world.upload(method, 1_000))
            #expect(try await Self.outcome(upload, world) == .redirectRefused)
            #expect(Self.paths(world) == ["\(method) /a"])
            world.end()
        }

        /// The system turns the POST into a GET without asking, which is found afterwards.
        @Test func backgroundSessionFollowsWithoutAsking() async throws {
            let world = try SystemWorld()
            Self.redirect(302, to: "/b", in: world)
            let put = try await world.submit(world.upload("PUT", 1_000))
            #expect(try await Self.outcome(put, world) == nil)
            let post = try await world.submit(world.upload("POST", 1_000))
            #expect(try await Self.outcome(post, world) == .redirectRefused)
            #expect(Self.paths(world) == ["PUT /a", "PUT /b", "POST /a", "GET /b"])
            world.end()
        }

        @Test(arguments: [301, 302, 303, 307, 308]) func downloadFollowsEachRedirect(_ status: Int) async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(status, to: "/b", in: world)
            var spec = world.download()
            spec.url = "http://server.example/a"
            let film = try await world.submit(spec)
            #expect(try await Self.outcome(film, world) == nil)
            #expect(Self.paths(world) == ["GET /a", "GET /b"] && world.file() == SystemWorld.content)
            world.end()
        }

        @Test(arguments: ["http://server.example/b", "http://other.example/b"])
        func anotherOriginReceivesNoSecret(_ target: String) async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(307, to: target, in: world)
            var spec = try world.upload("PUT", 1_000)
            spec.headers = [
                HeaderField("Authorization", "Bearer 1"), HeaderField("X-Pass", "2", isSecret: true),
                HeaderField("X-Plain", "3"),
            ]
            let put = try await world.submit(spec)
            #expect(try await Self.outcome(put, world) == nil)
            let last = try #require(world.device.network.requests.last?.request)
            let isSame = target.contains("server")
            #expect(last.url?.absoluteString == target)
            #expect(last.value(forHTTPHeaderField: "Authorization") == (isSame ? "Bearer 1" : nil))
            #expect(last.value(forHTTPHeaderField: "X-Pass") == (isSame ? "2" : nil))
            #expect(last.value(forHTTPHeaderField: "X-Plain") == "3")
            world.end()
        }

        @Test func redirectFromHTTPSIsRefused() async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(302, to: "http://server.example/b", in: world)
            var spec = world.download()
            spec.url = "https://server.example/a"
            let film = try await world.submit(spec)
            #expect(try await Self.outcome(film, world) == .redirectRefused)
            #expect(Self.paths(world) == ["GET /a"])
            world.end()
        }

        @Test func loopEndsAtTheLimit() async throws {
            let world = try SystemWorld(lane: .front)
            Self.redirect(302, to: "/a", in: world)
            var spec = world.download()
            spec.url = "http://server.example/a"
            spec.network.redirectLimit = 3
            let film = try await world.submit(spec)
            #expect(try await Self.outcome(film, world) == .redirectRefused)
            #expect(Self.paths(world).count == 4)
            world.end()
        }

        /// The keychain has a password for the server, which the app did not choose to send.
        @Test(arguments: [SystemEngine.Lane.front, .back], [401, 407])
        func challengeIsNotAnsweredFromTheKeychain(_ lane: SystemEngine.Lane, _ status: Int) async throws {
            let world = try SystemWorld(lane: lane)
            let name = status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
            world.device.changeNetwork { network in
                network.storedCredential = "Basic c2VjcmV0"
                network.server = { request, body in
                    request.value(forHTTPHeaderField: "Authorization") == nil
                        ? .init(status, [name: "Basic"]) : SystemWorld.answer(request, body)
                }
            }
            let film = try await world.submit(world.download())
            let put = try await world.submit(world.upload("PUT", 1_000))
            for id in [film, put] {
                try await world.go("it is refused") { try await world.detail(id).lastFailure != nil }
                #expect(try await world.detail(id).lastFailure?.code == .credentialsRequired)
            }
            #expect(Self.paths(world).count == 2)
            world.end()
        }

        /// The settings of the network have a password for its proxy.
        @Test(arguments: [SystemEngine.Lane.front, .back]) func systemKnowsThePasswordOfItsProxy(
            _ lane: SystemEngine.Lane
        ) async throws {
            let world = try SystemWorld(lane: lane)
            world.device.changeNetwork { network in
                network.proxyCredential = "Basic c2VjcmV0"
                network.server = { request, body in
                    request.value(forHTTPHeaderField: "Proxy-Authorization") == "Basic c2VjcmV0"
                        ? SystemWorld.answer(request, body) : .init(407, ["Proxy-Authenticate": "Basic"])
                }
            }
            for spec in [world.download(), try world.upload("PUT", 1_000)] {
                #expect(try await Self.outcome(try await world.submit(spec), world) == nil)
            }
            #expect(Self.paths(world).count == 4)
            world.end()
        }

        @Test(arguments: [SystemEngine.Lane.front, .back]) func systemDecidesAboutTrust(_ lane: SystemEngine.Lane)
            async throws
        {
            let world = try SystemWorld(lane: lane)
            for var spec in [world.download(), try world.upload("PUT", 1_000)] {
                spec.url = spec.url.replacingOccurrences(of: "http:", with: "https:")
                #expect(try await Self.outcome(try await world.submit(spec), world) == nil)
            }
            #expect(world.device.trustQuestions == 1 && Self.paths(world).count == 2)
            #expect(world.file() == SystemWorld.content)
            world.end()
        }

        @Test func onlyTrustAndProxiesAreLeftToTheSystem() {
            for (challenge, disposition) in [
                (
                    URLAuthenticationChallenge(NSURLAuthenticationMethodServerTrust),
                    URLSession.AuthChallengeDisposition.performDefaultHandling
                ),
                (URLAuthenticationChallenge(NSURLAuthenticationMethodHTTPBasic), .useCredential),
                (
                    URLAuthenticationChallenge(NSURLAuthenticationMethodHTTPBasic, isOfProxy: true),
                    .performDefaultHandling
                ),
            ] {
                #expect(ForegroundListener.disposition(of: challenge) == disposition)
            }
        }
    }
}
