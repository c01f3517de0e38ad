import Foundation
import FoundationDouble
import LonghaulCore
import Photos
import Synchronization
import TestSupport
import Testing

@testable import LonghaulPhotos

/// Uploads of the photo library by an extension, whose process ends after each run.
extension AppleSystems {
    @Suite struct PhotoUploadsTests {
        private struct ProcessEnded: Error {}

        private let temporary: TemporaryDirectory
        private let library = PhotoLibraryContent.shared

        init() throws {
            temporary = try TemporaryDirectory()
        }

        private func asset(_ name: String, _ types: [PHAssetResourceType] = [.photo]) -> PhotoLibraryContent.Asset {
            .init("\(name)/L0/001", types, modified: Date(timeIntervalSinceReferenceDate: 100))
        }

        /// A new process of the extension.
        private func uploads(skipping name: String? = nil) -> PhotoUploads {
            PhotoUploads(directory: temporary.path("photos"), log: { _ in }) { resource in
                guard resource.fileName != name else { return nil }
                var request = URLRequest(url: URL(string: "https://example.org/photos")!)
                request.httpMethod = "POST"
                return request
            }
        }

        /// The keys of the present jobs.
        private var keys: [String] {
            library.jobs.compactMap { $0.destination.value(forHTTPHeaderField: "Idempotency-Key") }
        }

        private func error(_ code: URLError.Code) -> NSError {
            NSError(domain: NSURLErrorDomain, code: code.rawValue)
        }

        @Test func eachResourceIsUploadedOnce() throws {
            library.reset([asset("a", [.photo, .pairedVideo]), asset("b")])
            #expect(uploads().process() == .processing)
            #expect(keys == ["\"a/L0/001#1\"", "\"a/L0/001#9\"", "\"b/L0/001#1\""])
            library.end(.succeeded)
            #expect(uploads().process() == .completed)
            #expect(library.jobs.isEmpty)
            #expect(try uploads().status().uploaded == 3)
            #expect(uploads().process() == .completed && library.jobs.isEmpty)
        }

        @Test func editedVersionIsUploadedWithoutItsOriginal() throws {
            library.reset([asset("a", [.photo])])
            _ = uploads().process()
            library.end(.succeeded)
            _ = uploads().process()
            library.edit { assets in
                assets[0].types = [.photo, .fullSizePhoto]
                assets[0].modified = Date(timeIntervalSinceReferenceDate: 200)
            }
            _ = uploads().process()
            #expect(keys == ["\"a/L0/001#5@200\""])
        }

        @Test func newTitleUploadsNothing() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            library.end(.succeeded)
            _ = uploads().process()
            library.edit { $0[0].modified = Date(timeIntervalSinceReferenceDate: 200) }
            #expect(uploads().process() == .completed && library.jobs.isEmpty)
        }

        @Test func fullSystemGetsTheRestLater() throws {
            library.reset((0..<120).map { asset("\($0)") }, limit: 70)
            #expect(uploads().process() == .processing)
            #expect(library.jobs.count == 70)
            library.end(.succeeded)
            #expect(uploads().process() == .processing)
            #expect(library.jobs.count == 50)
            library.end(.succeeded)
            #expect(uploads().process() == .completed)
            #expect(try uploads().status().uploaded == 120)
        }

        @Test func interruptedJobIsRetriedOnceThenReplaced() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            let first = library.jobs.map(\.identifier)
            library.end(.failed, error(.networkConnectionLost))
            _ = uploads().process()
            #expect(library.jobs.map(\.identifier) == first && library.jobs.map(\.state) == [.registered])
            library.end(.failed, error(.networkConnectionLost))
            _ = uploads().process()
            #expect(library.jobs.map(\.identifier) != first && keys == ["\"a/L0/001#1\""])
            library.end(.succeeded)
            #expect(uploads().process() == .completed)
        }

        /// The system accepts no retry when it is full.
        @Test func fullSystemReplacesFailedJobs() throws {
            library.reset((0..<3).map { asset("\($0)") }, limit: 2)
            _ = uploads().process()
            library.end(.failed, error(.networkConnectionLost))
            #expect(uploads().process() == .processing)
            #expect(library.jobs.map(\.state) == [.registered, .registered])
            for _ in 0..<2 {
                library.end(.succeeded)
                _ = uploads().process()
            }
            #expect(try uploads().status().uploaded == 3)
        }

        @Test func permanentErrorIsNotRetried() throws {
            library.reset([asset("a"), asset("b")])
            _ = uploads().process()
            library.end(.failed, error(.badURL))
            #expect(uploads().process() == .completed)
            #expect(library.jobs.isEmpty)
            #expect(try uploads().status().failed == ["a/L0/001#1": .invalidURL, "b/L0/001#1": .invalidURL])
            try uploads().retryFailed()
            #expect(uploads().process() == .processing)
            #expect(keys.count == 2)
        }

        /// The system reports no status of a response.
        @Test func refusedResourceIsAbandonedAfterItsLimit() throws {
            library.reset([asset("a")])
            var jobs = 0
            while uploads().process() == .processing {
                jobs += library.jobs.count
                library.end(.failed)
            }
            // Each job is retried once.
            #expect(jobs == 2 * PhotoUploadRecord.limit)
            #expect(try uploads().status().failed == ["a/L0/001#1": .serverFailed])
        }

        /// A process that dies while it writes leaves a line without an end.
        @Test func changeAfterATornLineIsKept() throws {
            let directory = temporary.path("photos")
            var record = try PhotoUploadRecord(in: directory)
            try record.add([.submitted("a#1")])
            let file = try #require(FileHandle(forWritingAtPath: directory + "/uploads"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("submitted b".utf8))
            try file.close()
            record = try PhotoUploadRecord(in: directory)
            try record.add([.submitted("c#1")])
            #expect(try PhotoUploadRecord(in: directory).submitted == ["a#1", "c#1"])
        }

        @Test func resourceWithoutRequestIsSkipped() throws {
            library.reset([asset("a", [.photo, .adjustmentData])])
            _ = uploads(skipping: "a/L0/001-adjustmentData.jpg").process()
            #expect(keys == ["\"a/L0/001#1\""])
        }

        @Test func jobOfDeletedPhotoIsAcknowledged() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            library.edit { $0 = [] }
            library.end(.failed, error(.networkConnectionLost))
            #expect(uploads().process() == .completed)
            #expect(library.jobs.isEmpty)
        }

        @Test func stoppedRunContinuesLater() throws {
            library.reset((0..<120).map { asset("\($0)") }, limit: 500)
            let first = uploads()
            library.beforeEachChange { first.stop() }
            #expect(first.process() == .processing)
            #expect(library.jobs.count == 50)
            library.beforeEachChange {}
            _ = uploads().process()
            #expect(Set(keys).count == 120 && library.jobs.count == 120)
        }

        /// The process dies after the success is on the disk and before the acknowledgment.
        @Test func deathBeforeAcknowledgmentLosesNoResult() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            library.end(.succeeded)
            library.beforeEachChange { throw ProcessEnded() }
            #expect(uploads().process() == .failure)
            #expect(try uploads().status().uploaded == 1)
            library.beforeEachChange {}
            #expect(uploads().process() == .completed)
            #expect(library.jobs.isEmpty)
        }

        /// The process dies between the creation of the jobs and their record.
        @Test func unrecordedJobIsFound() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            try FileManager.default.removeItem(atPath: temporary.path("photos/uploads"))
            #expect(uploads().process() == .processing)
            #expect(library.jobs.count == 1)
            library.end(.succeeded)
            #expect(uploads().process() == .completed)
        }

        @Test func incompleteLineIsIgnored() throws {
            library.reset([asset("a"), asset("b")])
            _ = uploads().process()
            library.end(.succeeded)
            _ = uploads().process()
            let record = URL(fileURLWithPath: temporary.path("photos/uploads"))
            let content = try Data(contentsOf: record)
            // In the middle of the last line but one.
            let cut = try #require(content.dropLast().lastIndex(of: UInt8(ascii: "\n")))
            try content.prefix(cut - 3).write(to: record)
            #expect(uploads().process() == .processing)
            library.end(.succeeded)
            #expect(uploads().process() == .completed)
            #expect(try uploads().status().uploaded == 2)
        }

        @Test func lostJobIsReplaced() throws {
            library.reset([asset("a")])
            _ = uploads().process()
            library.loseJobs()
            #expect(uploads().process() == .processing)
            #expect(keys == ["\"a/L0/001#1\""])
        }

        @Test func enablingReplacesTheJobsOfAnEarlierVersion() throws {
            library.reset([asset("a")])
            try uploads().enable()
            #expect(PHPhotoLibrary.shared().uploadJobExtensionEnabled)
            _ = uploads().process()
            try uploads().enable()
            #expect(library.jobs.isEmpty)
            #expect(try uploads().status().submitted == 0)
            library.refuse()
            let failure = #expect(throws: TransferFailure.self) { try uploads().enable() }
            #expect(failure?.code == .accessDenied)
        }

        @Test func processOutsideOfTheGroupFails() throws {
            library.reset([asset("a")])
            let uploads = PhotoUploads(directory: nil, log: { _ in }) { _ in nil }
            #expect(uploads.process() == .failure)
            let failure = #expect(throws: TransferFailure.self) { try uploads.status() }
            #expect(failure?.code == .invalidArgument)
        }
    }
}
