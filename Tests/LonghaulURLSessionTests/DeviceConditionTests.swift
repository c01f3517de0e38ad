import Foundation
import FoundationDouble
import Testing

/// The simulated device's handling of conditions and start times. The source of each rule is in `Tests/AppleDoubles/sources.md`.
extension AppleSystems {
    @Suite struct DeviceConditionTests {
        private final class RecordingDelegate: NSObject, URLSessionTaskDelegate {}

        private let device = SimulatedDevice()
        private var request: URLRequest

        init() throws {
            SimulatedDevice.current = device
            device.changeNetwork { $0.server = { _, _ in .init(200, [:], Data(count: 100_000)) } }
            request = URLRequest(url: try #require(URL(string: "http://server.example/")))
        }

        private func session(_ configuration: URLSessionConfiguration) -> URLSession {
            URLSession(configuration: configuration, delegate: RecordingDelegate(), delegateQueue: nil)
        }

        private var background: URLSessionConfiguration { .background(withIdentifier: "org.example") }

        @Test(arguments: 0..<3, [false, true])
        func aNetworkThatARequestOrItsSessionForbidsIsNotUsed(_ kind: Int, _ isOfSession: Bool) {
            let configuration = background
            var request = request
            switch kind {
            case 0: (configuration.allowsCellularAccess, request.allowsCellularAccess) = (!isOfSession, isOfSession)
            case 1:
                (configuration.allowsExpensiveNetworkAccess, request.allowsExpensiveNetworkAccess) =
                    (!isOfSession, isOfSession)
            default:
                (configuration.allowsConstrainedNetworkAccess, request.allowsConstrainedNetworkAccess) =
                    (!isOfSession, isOfSession)
            }
            let task = session(configuration).downloadTask(with: request)
            task.resume()
            for other in 0..<3 {
                device.changeNetwork {
                    ($0.isCellular, $0.isExpensive, $0.isConstrained) = (other == 0, other == 1, other == 2)
                }
                #expect(device.step() == (other != kind))
            }
        }

        @Test func aDateIsHeededByBackgroundSessionsAlone() {
            let tasks = [session(.default), session(background)].map { $0.downloadTask(with: request) }
            for task in tasks {
                task.earliestBeginDate = SimulatedDevice.epoch + 60
                task.resume()
            }
            device.step()
            #expect(tasks.map(\.countOfBytesReceived) == [65_536, 0])
            device.pass(60)
            device.step()
            #expect(tasks[1].countOfBytesReceived == 65_536)
        }

        @Test func discretionaryTaskWaitsForWiFiAndPower() {
            let configuration = background
            configuration.isDiscretionary = true
            session(configuration).downloadTask(with: request).resume()
            device.plug(in: false)
            #expect(!device.step())
            device.plug(in: true)
            device.changeNetwork { $0.isExpensive = true }
            #expect(!device.step())
            device.changeNetwork { $0.isExpensive = false }
            #expect(device.step())
        }

        @Test func backgroundTaskIsAlwaysDiscretionary() {
            let session = session(background)
            device.enter(.background)
            session.downloadTask(with: request).resume()
            device.plug(in: false)
            #expect(!device.step())
            device.enter(.foreground)
            session.downloadTask(with: request).resume()
            #expect(device.step())
        }

        @Test func aSessionOfTheProcessWaitsForANetworkOnlyBeforeItBegins() {
            let configuration = URLSessionConfiguration.default
            configuration.waitsForConnectivity = true
            let session = session(configuration)
            let task = session.downloadTask(with: request)
            task.resume()
            device.changeNetwork { $0.isOnline = false }
            #expect(!device.step() && task.state == .running)
            device.changeNetwork { $0.isOnline = true }
            device.step()
            device.changeNetwork { $0.isOnline = false }
            #expect(device.step())
            session.delegateQueue.waitUntilAllOperationsAreFinished()
            #expect(task.state == .completed)
        }

        @Test func aBreakEndsWhatTheProcessCarriesItself() {
            let session = session(.default)
            let task = session.downloadTask(with: request)
            task.resume()
            device.breakConnections()
            #expect(task.state == .running)
            device.changeNetwork { $0.server = { _, _ in nil } }
            let upload = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: #filePath))
            upload.resume()
            device.step()
            device.breakConnections()
            session.delegateQueue.waitUntilAllOperationsAreFinished()
            #expect(task.state == .running && upload.state == .completed)
        }

        private func finish(_ task: URLSessionTask, _ session: URLSession) {
            task.resume()
            while task.state != .completed {
                device.step()
                session.delegateQueue.waitUntilAllOperationsAreFinished()
            }
        }

        @Test(
            arguments: [true, false], [NSURLRequest.CachePolicy.useProtocolCachePolicy, .reloadIgnoringLocalCacheData])
        func defaultSessionsShareACache(_ hasCache: Bool, _ policy: NSURLRequest.CachePolicy) {
            let configuration = URLSessionConfiguration.default
            if !hasCache { configuration.urlCache = nil }
            configuration.requestCachePolicy = policy
            for _ in 0..<2 {
                let session = session(configuration)
                finish(session.dataTask(with: request), session)
            }
            let isAnswered = hasCache && policy == .useProtocolCachePolicy
            #expect(device.network.requests.count == (isAnswered ? 1 : 2))
            #expect(device.network.cache.isEmpty != hasCache)
            #expect(background.urlCache == nil)
        }

        @Test(arguments: [true, false], [true, false])
        func sessionsShareACookieStore(_ hasStore: Bool, _ isSending: Bool) {
            device.changeNetwork { $0.server = { _, _ in .init(200, ["Set-Cookie": "id=1"]) } }
            let configuration = URLSessionConfiguration.default
            if !hasStore { configuration.httpCookieStorage = nil }
            configuration.httpShouldSetCookies = isSending
            configuration.urlCache = nil
            let session = session(configuration)
            for _ in 0..<2 { finish(session.dataTask(with: request), session) }
            #expect(device.network.cookie == (hasStore ? "id=1" : nil))
            let sent = device.network.requests.map { $0.request.value(forHTTPHeaderField: "Cookie") }
            #expect(sent == [nil, hasStore && isSending ? "id=1" : nil])
        }

        private final class TrustingDelegate: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) { completionHandler(.performDefaultHandling, nil) }
        }

        /// One question for each connection. Without a method for the session, the system calls that for the task.
        @Test(arguments: [false, true]) func httpsAsksTheDelegate(_ isOfBackground: Bool) throws {
            let session = URLSession(
                configuration: isOfBackground ? background : .default, delegate: TrustingDelegate(), delegateQueue: nil)
            for (host, count) in [("a", 1), ("a", 1), ("b", 2)] {
                let request = URLRequest(url: try #require(URL(string: "https://\(host).example/")))
                finish(session.downloadTask(with: request), session)
                #expect(device.trustQuestions == count)
            }
            let violations = Set(device.violations)
            #expect(violations == (isOfBackground ? ["the delegate of a background session answers challenges"] : []))
        }

        @Test func taskPropertiesOutliveProcess() async {
            let task = session(background).downloadTask(with: request)
            task.priority = URLSessionTask.highPriority
            task.earliestBeginDate = SimulatedDevice.epoch + 60
            task.countOfBytesClientExpectsToReceive = 7
            device.enter(.dead)
            device.enter(.foreground)
            let next = session(background)
            let found = await withCheckedContinuation { continuation in
                next.getAllTasks { continuation.resume(returning: $0) }
            }
            #expect(found.map(\.priority) == [0.75])
            #expect(found.map(\.earliestBeginDate) == [SimulatedDevice.epoch + 60])
            #expect(found.map(\.countOfBytesClientExpectsToReceive) == [7])
        }
    }
}
