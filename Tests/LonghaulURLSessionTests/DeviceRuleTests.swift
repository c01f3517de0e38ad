import Foundation
import FoundationDouble
import Synchronization
import Testing

/// The rules of the simulated device, one by one. Their sources are in `Tests/AppleDoubles/sources.md`; a real device
/// can refute each of them.
extension AppleSystems {
    @Suite struct DeviceRuleTests {
        final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
            let heard = Mutex<[String]>([])

            func record(_ word: String) { heard.withLock { $0.append(word) } }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
                totalBytesExpectedToSend: Int64
            ) { record("sent") }
            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                record("data")
            }
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) { record("file") }
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
                totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
            ) { record("wrote") }
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                guard let error = error as NSError? else { return record("ended") }
                let reason = error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey].map { ", \($0)" } ?? ""
                record("ended \(error.code)\(reason)")
            }
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
                expectedTotalBytes: Int64
            ) { record("resumed \(fileOffset)/\(expectedTotalBytes)") }
            func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
                record("invalid \((error as NSError?)?.code ?? 0)")
            }
            func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { record("all") }
        }

        private let device = SimulatedDevice()

        init() {
            SimulatedDevice.current = device
            device.changeNetwork { $0.server = { _, _ in .init(200, ["ETag": "\"1\""], Data(count: 100_000)) } }
        }

        private func session(_ ear: RecordingDelegate) -> URLSession {
            URLSession(configuration: .background(withIdentifier: "org.example"), delegate: ear, delegateQueue: nil)
        }

        private func download(_ session: URLSession) throws -> URLSessionDownloadTask {
            session.downloadTask(with: URLRequest(url: try #require(URL(string: "http://server.example/"))))
        }

        private func heard(_ ear: RecordingDelegate, _ session: URLSession) -> [String] {
            session.delegateQueue.waitUntilAllOperationsAreFinished()
            return ear.heard.withLock { $0 }
        }

        @Test func aTaskStandsStillUntilItIsResumed() throws {
            let ear = RecordingDelegate()
            let session = session(ear)
            let task = try download(session)
            #expect(task.state == .suspended && !device.step())
            task.resume()
            #expect(device.step() && device.step())
            #expect(heard(ear, session) == ["wrote", "wrote", "file", "ended"])
        }

        @Test func aDeadAppIsWokenWhenAllTasksHaveEndedAndHearsTheEndsAlone() throws {
            let (first, second) = (RecordingDelegate(), RecordingDelegate())
            var present = session(first)
            let tasks = [try download(present), try download(present)]
            tasks[0].taskDescription = "one"
            tasks[0].resume()
            device.enter(.dead)
            device.step()
            device.step()
            #expect(device.launches.isEmpty)
            // An object of a process that has ended does nothing.
            tasks[1].resume()
            #expect(!device.step())

            present = session(second)
            let kept = Mutex<[String?]>([])
            present.getAllTasks { tasks in kept.withLock { $0 = tasks.map(\.taskDescription) } }
            #expect(heard(second, present).isEmpty && kept.withLock { $0 } == [nil])
            device.enter(.foreground)
            #expect(heard(second, present) == ["file", "ended"])
            #expect(heard(first, present).isEmpty)
        }

        @Test func forceQuitCancelsTasksWithoutLaunchingApp() throws {
            let (first, second) = (RecordingDelegate(), RecordingDelegate())
            try download(session(first)).resume()
            device.step()
            device.forceQuit()
            for _ in 0..<3 { device.step() }
            #expect(device.launches.isEmpty)
            device.enter(.foreground)
            let present = session(second)
            #expect(heard(second, present) == ["ended -999, 0"])
        }

        @Test func tasksThatAForceQuitEndedAreListedOnceMore() throws {
            let ear = RecordingDelegate()
            let before = try download(session(RecordingDelegate()))
            before.taskDescription = "film"
            before.resume()
            device.step()
            device.forceQuit(listsTasks: true)
            while device.step() {}
            #expect(device.launches.isEmpty)
            device.enter(.foreground)
            let present = session(ear)
            #expect(heard(ear, present).isEmpty)
            let listed = Mutex<[[String?]]>([])
            for _ in 0..<2 {
                present.getAllTasks { tasks in listed.withLock { $0.append(tasks.map(\.taskDescription)) } }
                present.delegateQueue.waitUntilAllOperationsAreFinished()
            }
            #expect(listed.withLock { $0 } == [["film"], []] && heard(ear, present) == ["ended -999, 0"])
        }

        /// The list, the events, and the app have the same object for a task.
        @Test func aTaskIsOneObjectInAProcess() throws {
            let session = session(RecordingDelegate())
            let made = try download(session)
            let listed = Mutex<[URLSessionTask]>([])
            for _ in 0..<2 {
                session.getAllTasks { tasks in listed.withLock { $0 += tasks } }
                session.delegateQueue.waitUntilAllOperationsAreFinished()
            }
            #expect(listed.withLock { $0.count == 2 && $0.allSatisfy { $0 === made } })
        }

        private static let refusals = [
            (NSURLErrorDomain, -3003), (NSURLErrorDomain, -3000), (NSURLErrorDomain, -3001), (NSURLErrorDomain, -1002),
            (NSURLErrorDomain, -1100), (NSPOSIXErrorDomain, 2),
        ]

        @Test(arguments: refusals) func theSystemRefusesResumeData(_ domain: String, _ code: Int) throws {
            let ear = RecordingDelegate()
            let session = session(ear)
            let data = try stoppedDownload(session, ear)
            device.refuseResumeData(with: NSError(domain: domain, code: code))
            session.downloadTask(withResumeData: data).resume()
            while device.step() {}
            #expect(heard(ear, session) == ["wrote", "ended -999", "ended \(code)"])
            #expect(device.network.bytesReceived == 65_536)
            device.refuseResumeData(with: nil)
        }

        @Test func invalidSessionTakesNoTask() throws {
            let ear = RecordingDelegate()
            let session = session(ear)
            try download(session).resume()
            device.invalidate("org.example", code: .backgroundSessionInUseByAnotherProcess)
            #expect(heard(ear, session) == ["invalid -996"] && device.violations.isEmpty)
            _ = try download(session)
            #expect(device.violations == ["a task was created in an invalid session"])
        }

        @Test func aSessionEndsItsTasksBeforeItEnds() throws {
            let ear = RecordingDelegate()
            let session = URLSession(configuration: .default, delegate: ear, delegateQueue: nil)
            try download(session).resume()
            session.invalidateAndCancel()
            #expect(heard(ear, session) == ["ended -999", "invalid 0"])
        }

        private func stoppedDownload(_ session: URLSession, _ ear: RecordingDelegate) throws -> Data {
            let task = try download(session)
            task.resume()
            device.step()
            let kept = Mutex<Data?>(nil)
            task.cancel { data in kept.withLock { $0 = data } }
            _ = heard(ear, session)
            return try #require(kept.withLock { $0 })
        }

        @Test func resumeDataIsTakenOnce() throws {
            let ear = RecordingDelegate()
            let session = session(ear)
            let data = try stoppedDownload(session, ear)
            session.downloadTask(withResumeData: data).resume()
            while device.step() {}
            let words = ["wrote", "ended -999", "resumed 65536/100000", "wrote", "file", "ended"]
            #expect(heard(ear, session) == words)
            #expect(device.network.bytesReceived == 100_000 && device.violations.isEmpty)
            _ = session.downloadTask(withResumeData: data)
            #expect(device.violations == ["resume data was used twice"])
        }

        @Test func identifierAllowsOneSession() {
            let ears = [RecordingDelegate(), RecordingDelegate()]
            let sessions = ears.map(session)
            #expect(device.violations == ["there are two session objects for org.example"])
            withExtendedLifetime(sessions) {}
        }

        @Test func launchesMakeTheNextOnesLater() throws {
            for count in 1...3 {
                let ear = RecordingDelegate()
                device.enter(.background)
                try download(session(ear)).resume()
                device.enter(.dead)
                device.step()
                device.step()
                #expect(device.launches.count == count - (count == 1 ? 0 : 1))
                device.pass(device.launchDelay)
                while device.step() {}
                #expect(device.launches.count == count)
            }
            #expect(device.launchDelay == 240)
            device.enter(.foreground)
            #expect(device.launchDelay == 0)
        }

        private func upload(_ session: URLSession, _ file: URL) throws -> URLSessionUploadTask {
            var request = URLRequest(url: try #require(URL(string: "http://server.example/")))
            request.httpMethod = "POST"
            return session.uploadTask(with: request, fromFile: file)
        }

        private func device(keepsUploads: Bool) -> SimulatedDevice {
            let device = SimulatedDevice()
            SimulatedDevice.current = device
            device.changeNetwork {
                $0.keepsUploads = keepsUploads
                $0.server = { _, _ in .init(201) }
            }
            return device
        }

        /// Returns the resume data of an upload that was stopped after its first bytes, if there is any.
        private func stoppedUpload(of file: URL, _ session: URLSession, _ device: SimulatedDevice) throws -> Data? {
            let task = try upload(session, file)
            task.resume()
            device.step()
            let kept = Mutex<Data?>(nil)
            task.cancel { data in kept.withLock { $0 = data } }
            session.delegateQueue.waitUntilAllOperationsAreFinished()
            return kept.withLock { $0 }
        }

        private func file(_ count: Int) throws -> URL {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID())")
            try Data(count: count).write(to: file)
            return file
        }

        @Test func interruptedUploadResumesIfServerKeepsBytes() throws {
            for isKept in [true, false] {
                let device = device(keepsUploads: isKept)
                let file = try file(100_000)
                defer { try? FileManager.default.removeItem(at: file) }
                let session = session(RecordingDelegate())
                try upload(session, file).resume()
                device.step()
                device.breakConnections()
                while device.step() {}
                #expect(device.network.bytesSent == (isKept ? 100_000 : 165_536))
                #expect(device.network.requests.count == 1)
            }
        }

        @Test func aStoppedUploadLeavesResumeDataWhereItsServerKeepsWhatArrives() throws {
            for isKept in [true, false] {
                let device = device(keepsUploads: isKept)
                let file = try file(100_000)
                defer { try? FileManager.default.removeItem(at: file) }
                let ear = RecordingDelegate()
                let session = session(ear)
                let resumeData = try stoppedUpload(of: file, session, device)
                #expect(heard(ear, session) == ["sent", "ended -999"])
                guard let data = resumeData else {
                    #expect(!isKept)
                    continue
                }
                session.uploadTask(withResumeData: data).resume()
                while device.step() {}
                #expect(device.network.bytesSent == 100_000 && device.network.requests.count == 1 && isKept)
                _ = session.uploadTask(withResumeData: data)
                #expect(device.violations == ["resume data was used twice"])
            }
        }

        /// The file must be unchanged; a server that has forgotten its part gets everything again.
        @Test func resumeDataOfAnUploadTakesTheSameFileAndTheSameServer() throws {
            for (hasChanged, words) in [(true, ["ended -3001"]), (false, ["sent", "sent", "ended"])] {
                let device = device(keepsUploads: true)
                let file = try file(100_000)
                defer { try? FileManager.default.removeItem(at: file) }
                let ear = RecordingDelegate()
                let session = session(ear)
                let resumeData = try stoppedUpload(of: file, session, device)
                if hasChanged {
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date.distantPast], ofItemAtPath: file.path)
                } else {
                    device.changeNetwork { $0.keepsUploads = false }
                }
                session.uploadTask(withResumeData: try #require(resumeData)).resume()
                while device.step() {}
                #expect(heard(ear, session).suffix(words.count) == words[...])
                #expect(device.network.requests.count == (hasChanged ? 0 : 1))
            }
        }

        @Test func eachSessionCountsItsOwnTasks() throws {
            let sessions = ["org.example", "org.example.other"].map { name in
                URLSession(
                    configuration: .background(withIdentifier: name), delegate: RecordingDelegate(), delegateQueue: nil)
            }
            let tasks = try sessions.map(download)
            #expect(tasks[0].taskIdentifier == tasks[1].taskIdentifier && tasks[0] != tasks[1])
            let second = try download(sessions[0])
            #expect(second.taskIdentifier != tasks[0].taskIdentifier)
        }

        @Test func theSystemGivesUpAfterTheTimeForTheResource() throws {
            let ear = RecordingDelegate()
            let session = session(ear)
            try download(session).resume()
            device.step()
            device.pass(604_801)
            device.step()
            #expect(heard(ear, session) == ["wrote", "ended -1001"])
        }

        /// A device that waits as long as the timeout of the request; its server is silent.
        @Test(arguments: [false, true]) func silentServerGetsRequestAgainFromBackgroundSession(
            _ isInBackground: Bool
        ) throws {
            let file = try file(1_000)
            defer { try? FileManager.default.removeItem(at: file) }
            device.changeNetwork { $0.server = { _, _ in nil } }
            let ear = RecordingDelegate()
            let session =
                isInBackground
                ? session(ear) : URLSession(configuration: .default, delegate: ear, delegateQueue: nil)
            let url = try #require(URL(string: "http://server.example/"))
            session.uploadTask(with: URLRequest(url: url, timeoutInterval: 60), fromFile: file).resume()
            device.step()
            #expect(!device.step())
            device.pass(60)
            #expect(!device.step())
            device.pass(1)
            device.step()
            device.step()
            #expect(heard(ear, session) == (isInBackground ? ["sent", "sent"] : ["sent", "ended -1001"]))
            #expect(device.network.requests.count == (isInBackground ? 2 : 1))
        }

        @Test func uploadReportsSentBytesThenResponse() throws {
            let file = try file(70_000)
            defer { try? FileManager.default.removeItem(at: file) }
            let ear = RecordingDelegate()
            let session = session(ear)
            try upload(session, file).resume()
            while device.step() {}
            #expect(heard(ear, session) == ["sent", "sent", "data", "ended"])
        }
    }
}
