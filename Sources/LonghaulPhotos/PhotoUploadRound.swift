// Each SDK has another version of SwiftUI: 7.0 with iOS 26.0, and 8.0 with iOS 27. Earlier SDKs lack the uploads.
#if os(Linux) || canImport(SwiftUI, _version: 8) || os(iOS) && canImport(SwiftUI, _version: 7.1)
    import Foundation
    import LonghaulCore
    import LonghaulURLSession
    import Photos

    /// One run of the extension. Each result is on the disk before its job is acknowledged, and each job exists before it is recorded. A
    /// process that dies in between repeats a step, or creates a second job.
    @available(iOS 26.1, macOS 27.0, *)
    struct PhotoUploadRound {
        private var record: PhotoUploadRecord
        private let request: (PhotoResource) -> URLRequest?
        private let isStopped: () -> Bool
        /// Whether each resource has been submitted.
        private var hasSubmittedAll = false

        /// The jobs of one change of the library.
        private static let batch = 50
        private static let header = "Idempotency-Key"

        init(
            _ record: PhotoUploadRecord, request: @escaping (PhotoResource) -> URLRequest?,
            isStopped: @escaping () -> Bool
        ) {
            (self.record, self.request, self.isStopped) = (record, request, isStopped)
        }

        /// Whether the server has each resource that it can get.
        var isComplete: Bool { hasSubmittedAll && record.submitted.isEmpty }

        mutating func run() throws(TransferFailure) {
            try findLostJobs()
            try processEnds()
            try submitMissing()
        }

        // MARK: Jobs

        private func jobs(_ action: PHAssetResourceUploadJob.Action) -> [PHAssetResourceUploadJob] {
            let result = PHAssetResourceUploadJob.fetchJobs(action: action, options: nil)
            return (0..<result.count).map { result.object(at: $0) }
        }

        /// The job's request is the only property that each state of a job has.
        private func key(of job: PHAssetResourceUploadJob) -> String? {
            job.destination.value(forHTTPHeaderField: Self.header).map { String($0.dropFirst().dropLast()) }
        }

        private func change(_ body: @escaping () -> Void) throws(TransferFailure) {
            do {
                try PHPhotoLibrary.shared().performChangesAndWait(body)
            } catch {
                let isFull = (error as? PHPhotosError)?.code == .limitExceeded
                throw TransferFailure(
                    isFull ? .tooManyPendingTaskRequests : .serviceUnavailable,
                    "The photo library refused the change: \(error.localizedDescription)",
                    origin: .system((error as NSError).code))
            }
        }

        /// Compares the record with the system's jobs. Earlier systems list only jobs that have ended.
        private mutating func findLostJobs() throws(TransferFailure) {
            #if os(Linux) || canImport(SwiftUI, _version: 7.5)
                guard #available(iOS 26.5, *) else { return }
                let active = Set(jobs(.process).compactMap(key(of:)))
                let ended = Set((jobs(.retry) + jobs(.acknowledge)).compactMap(key(of:)))
                let lost = record.submitted.subtracting(active).subtracting(ended)
                let unknown = active.subtracting(record.submitted)
                try record.add(lost.sorted().map { .forgotten($0) } + unknown.sorted().map { .submitted($0) })
            #endif
        }

        /// The system lets a failed job be retried once. It reports an error to an extension that leaves an ended job unacknowledged.
        private mutating func processEnds() throws(TransferFailure) {
            var retries: [(job: PHAssetResourceUploadJob, request: URLRequest)] = []
            for job in jobs(.retry) where failure(of: job).map(Self.mayPass) ?? true {
                if let request = key(of: job).flatMap(request(forKey:)) { retries.append((job, request)) }
            }
            let names = Set(retries.map(\.job.localIdentifier))
            // Jobs that may be retried are in both lists.
            let ended = Dictionary(
                (jobs(.retry) + jobs(.acknowledge)).map { ($0.localIdentifier, $0) },
                uniquingKeysWith: { first, _ in first })
            // Acknowledged first: a retry fails if the system has as many jobs as it accepts.
            try acknowledge(ended.values.filter { !names.contains($0.localIdentifier) })
            guard !retries.isEmpty else { return }
            do throws(TransferFailure) {
                nonisolated(unsafe) let retries = retries
                try change {
                    for (job, request) in retries {
                        PHAssetResourceUploadJobChangeRequest(for: job)?.retry(destination: request)
                    }
                }
            } catch {
                guard error.code == .tooManyPendingTaskRequests else { throw error }
                try acknowledge(retries.map(\.job))
            }
        }

        private mutating func acknowledge(_ jobs: [PHAssetResourceUploadJob]) throws(TransferFailure) {
            guard !jobs.isEmpty else { return }
            try record.add(jobs.compactMap(result(of:)))
            nonisolated(unsafe) let jobs = jobs
            try change {
                for job in jobs { PHAssetResourceUploadJobChangeRequest(for: job)?.acknowledge() }
            }
        }

        private func result(of job: PHAssetResourceUploadJob) -> PhotoUploadRecord.Change? {
            guard let key = key(of: job) else { return nil }
            if job.state == .succeeded { return .uploaded(key) }
            guard job.state == .failed else { return .forgotten(key) }
            // The system does not report the status of the response.
            guard let failure = failure(of: job) else { return .failed(key, .serverFailed) }
            return Self.mayPass(failure) ? .failed(key, failure.code) : .refused(key, failure.code)
        }

        private func failure(of job: PHAssetResourceUploadJob) -> TransferFailure? {
            #if os(Linux) || canImport(SwiftUI, _version: 7.4)
                if #available(iOS 26.4, *), let error = job.error { return ErrorReading.failure(error as NSError) }
            #endif
            return nil
        }

        private static func mayPass(_ failure: TransferFailure) -> Bool {
            RetryPolicy.decide(failure, headers: []) != .never
        }

        // MARK: Resources

        private mutating func submitMissing() throws(TransferFailure) {
            let assets = PHAsset.fetchAssets(with: nil)
            var waiting: [(resource: PHAssetResource, request: URLRequest, key: String)] = []
            var covered: [PhotoUploadRecord.Change] = []
            for index in 0..<assets.count {
                guard !isStopped() else { return }
                let asset = assets.object(at: index)
                let version = PhotoResource.version(of: asset)
                guard !record.isCovered(asset.localIdentifier, version) else { continue }
                for resource in PHAssetResource.assetResources(for: asset) {
                    let described = PhotoResource(resource, of: asset)
                    guard record.needsJob(described.key), let request = completeRequest(for: described) else {
                        continue
                    }
                    waiting.append((resource, request, described.key))
                }
                covered.append(.covered(asset: asset.localIdentifier, version: version))
                guard waiting.count >= Self.batch else { continue }
                guard try submit(waiting, covered) else { return }
                (waiting, covered) = ([], [])
            }
            hasSubmittedAll = try submit(waiting, covered)
        }

        /// Returns `false` if the system accepts no more jobs now.
        private mutating func submit(
            _ waiting: [(resource: PHAssetResource, request: URLRequest, key: String)],
            _ covered: [PhotoUploadRecord.Change]
        ) throws(TransferFailure) -> Bool {
            let space = PHAssetResourceUploadJob.jobLimit - record.submitted.count
            nonisolated(unsafe) let jobs = Array(waiting.prefix(max(0, space)))
            do throws(TransferFailure) {
                if !jobs.isEmpty {
                    try change {
                        for (resource, request, _) in jobs { Self.createJob(request, resource) }
                    }
                }
            } catch {
                // Jobs that the record does not know count as well.
                guard error.code == .tooManyPendingTaskRequests else { throw error }
                return false
            }
            let isWhole = jobs.count == waiting.count
            try record.add(jobs.map { .submitted($0.key) } + (isWhole ? covered : []))
            return isWhole
        }

        private static func createJob(_ request: URLRequest, _ resource: PHAssetResource) {
            #if os(Linux) || canImport(SwiftUI, _version: 7.4)
                if #available(iOS 26.4, *) {
                    _ = PHAssetResourceUploadJobChangeRequest.creationRequestForJob(
                        destination: request, resource: resource)
                    return
                }
            #endif
            PHAssetResourceUploadJobChangeRequest.createJob(destination: request, resource: resource)
        }

        private func completeRequest(for resource: PhotoResource) -> URLRequest? {
            guard var request = request(resource) else { return nil }
            request.setValue("\"\(resource.key)\"", forHTTPHeaderField: Self.header)
            return request
        }

        /// `nil` if the resource has been deleted or changed.
        private func request(forKey key: String) -> URLRequest? {
            let name = PhotoResource.assetIdentifier(ofKey: key)
            let assets = PHAsset.fetchAssets(withLocalIdentifiers: [name], options: nil)
            guard assets.count > 0 else { return nil }
            let asset = assets.object(at: 0)
            let resources = PHAssetResource.assetResources(for: asset).map { PhotoResource($0, of: asset) }
            return resources.first { $0.key == key }.flatMap(completeRequest)
        }
    }
#endif
