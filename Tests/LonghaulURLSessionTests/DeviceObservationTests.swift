import Foundation
import FoundationDouble
import Synchronization
import Testing

/// The simulated device, compared with observations on a real one. `Tests/Device/README.md` describes how to make them.
extension AppleSystems {
    @Suite struct DeviceObservationTests {
        private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Device")

        @Test func observationsAgreeWithTheSimulatedDevice() throws {
            let log = try String(contentsOf: Self.directory.appendingPathComponent("observations.txt"), encoding: .utf8)
            #expect(log.contains("`rule: value`"))
            #expect(try Self.deviations(in: log) == [])
        }

        @Test func deviationsAreFound() throws {
            let log = """
                # iPhone 17, iOS 26.1
                force-quit-continues: no
                force-quit-code: -997

                night-before-the-hours: start
                rain: heavy
                nonsense
                """
            #expect(
                try Self.deviations(in: log) == [
                    "force-quit-code: -997 on the device, -999 in the simulation",
                    "night-before-the-hours: start on the device, wait in the simulation",
                    "rain: there is no such rule",
                    "nonsense: a line must have the form `rule: value`",
                ])
        }

        /// The table of the checklist has each rule with its value in the simulation.
        @Test func checklistHasEveryRule() throws {
            let page = try String(contentsOf: Self.directory.appendingPathComponent("README.md"), encoding: .utf8)
            let listed = page.matches(of: /(?m)^\| `([a-z-]+)` \| `([^`]+)` \|/).map { "\($0.1): \($0.2)" }
            let simulated = try Bench.rules.map { "\($0.key): \(try $0.value(Bench()))" }
            #expect(listed.sorted() == simulated.sorted())
        }

        private static func deviations(in log: String) throws -> [String] {
            try log.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                guard let colon = line.firstIndex(of: ":") else {
                    return "\(line): a line must have the form `rule: value`"
                }
                let (rule, value) = (
                    String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
                )
                guard let simulation = Bench.rules[rule] else { return "\(rule): there is no such rule" }
                let simulated = try simulation(Bench())
                return value == simulated ? nil : "\(rule): \(value) on the device, \(simulated) in the simulation"
            }
        }
    }

    /// A simulated device with one background session, for one rule.
    private struct Bench {
        static let rules: [String: @Sendable (Bench) throws -> String] = [
            "kill-continues": { bench in
                try bench.upload().resume()
                bench.device.enter(.dead)
                bench.run()
                return bench.device.network.bytesSent == 100_000 ? "yes" : "no"
            },
            "kill-launches-at-the-end": { bench in
                try bench.upload().resume()
                bench.device.enter(.dead)
                bench.run()
                return bench.device.launches.isEmpty ? "no" : "yes"
            },
            "force-quit-continues": { bench in
                try bench.upload().resume()
                bench.device.step()
                bench.device.forceQuit()
                bench.run()
                return bench.device.network.bytesSent == 100_000 ? "yes" : "no"
            },
            "force-quit-launches": { bench in
                try bench.upload().resume()
                bench.device.forceQuit()
                bench.run()
                return bench.device.launches.isEmpty ? "no" : "yes"
            },
            "force-quit-code": { bench in
                try bench.upload().resume()
                bench.device.forceQuit()
                bench.device.enter(.foreground)
                let ear = DeviceRuleTests.RecordingDelegate()
                let next = URLSession(
                    configuration: bench.session.configuration, delegate: ear, delegateQueue: nil)
                next.delegateQueue.waitUntilAllOperationsAreFinished()
                let end = try #require(ear.heard.withLock { $0.last })
                return String(end.dropFirst("ended ".count).prefix { $0 != "," })
            },
            "network-loss-upload": { bench in
                try bench.upload().resume()
                bench.device.step()
                bench.device.breakConnections()
                bench.run()
                return bench.device.network.bytesSent == 100_000 ? "resume" : "restart"
            },
            "network-loss-download": { bench in
                bench.session.downloadTask(with: bench.request).resume()
                bench.device.step()
                bench.device.breakConnections()
                bench.run()
                return bench.device.network.bytesReceived == 100_000 ? "resume" : "restart"
            },
            "cellular-not-allowed": { bench in
                var request = bench.request
                request.allowsCellularAccess = false
                bench.device.changeNetwork { $0.isCellular = true }
                return bench.start(bench.session.downloadTask(with: request))
            },
            "night-before-the-hours": { bench in
                let task = bench.session.downloadTask(with: bench.request)
                task.earliestBeginDate = SimulatedDevice.epoch + 60
                return bench.start(task)
            },
            "discretionary-on-battery": { bench in
                let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.discretionary")
                configuration.isDiscretionary = true
                bench.device.plug(in: false)
                let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
                return bench.start(session.downloadTask(with: bench.request))
            },
        ]

        let device = SimulatedDevice()
        let session: URLSession
        let request: URLRequest

        init() throws {
            SimulatedDevice.current = device
            device.changeNetwork { $0.server = { _, _ in .init(200, ["ETag": "\"1\""], Data(count: 100_000)) } }
            session = URLSession(
                configuration: .background(withIdentifier: "org.example"), delegate: nil, delegateQueue: nil)
            request = URLRequest(url: try #require(URL(string: "http://server.example/")))
        }

        func upload() throws -> URLSessionTask {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("observed")
            try Data(count: 100_000).write(to: file)
            var request = request
            request.httpMethod = "PUT"
            return session.uploadTask(with: request, fromFile: file)
        }

        func run() { while device.step() {} }

        func start(_ task: URLSessionTask) -> String {
            task.resume()
            return device.step() ? "start" : "wait"
        }
    }
}
