// Earlier SDKs lack the uploads.
#if os(Linux) || canImport(SwiftUI, _version: 8) || os(iOS) && canImport(SwiftUI, _version: 7.1)
    public import LonghaulCore
    import LonghaulSystem
    import LonghaulURLSession
    public import Photos
    import Synchronization

    /// Uploads of the whole photo library by PhotoKit, which runs the app's extension when the network, the power, and the use of the device
    /// allow it.
    ///
    /// **Experimental**: no device has run it. The extension `com.apple.photos.background-upload` passes its calls on:
    ///
    /// ```swift
    /// @main final class Backup: PHBackgroundResourceUploadExtension {
    ///     private let uploads = PhotoUploads(appGroup: "group.org.example.photos") { resource in
    ///         var request = URLRequest(url: URL(string: "https://example.org/photos/\(UUID())")!)
    ///         request.httpMethod = "POST"
    ///         return request
    ///     }
    ///
    ///     func process() -> PHBackgroundResourceUploadProcessingResult { uploads.process() }
    ///     func notifyTermination() { uploads.stop() }
    /// }
    /// ```
    ///
    /// Each resource is uploaded until a job of it has succeeded. The system sends a request again after an interruption, and a process that
    /// dies may create a second job for a resource. The server recognizes both by the `Idempotency-Key`.
    @available(iOS 26.1, macOS 27.0, *)
    public final class PhotoUploads: Sendable {
        /// The state of a library's uploads.
        public struct Status: Sendable {
            /// The number of resources with a job of the system.
            public var submitted = 0
            /// The number of resources that the server has received.
            public var uploaded = 0
            /// The resources that are not submitted again, by their keys, and the reasons.
            public var failed: [String: TransferFailure.Code] = [:]
        }

        private let directory: String?
        private let request: @Sendable (PhotoResource) -> URLRequest?
        private let isStopped = Mutex(false)
        private let log: @Sendable (String) -> Void

        /// - Parameters:
        ///   - appGroup: The group of the app and of its extension, whose container has the record of uploads.
        ///   - request: Returns the request that uploads a resource; `nil` for a resource that is not uploaded. The extension's Info.plist
        ///     names the server in `BackgroundUploadURLBase`.
        public convenience init(appGroup: String, request: @escaping @Sendable (PhotoResource) -> URLRequest?) {
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)?.path
            self.init(
                directory: container.map { $0 + "/Library/Application Support/Longhaul/photos" }, request: request)
        }

        /// `directory`: `nil` if the process is not a member of the group.
        package init(
            directory: String?, log: @escaping @Sendable (String) -> Void = { NSLog("%@", $0) },
            request: @escaping @Sendable (PhotoResource) -> URLRequest?
        ) {
            (self.directory, self.log, self.request) = (directory, log, request)
        }

        // MARK: The extension

        /// Processes the ended jobs, and creates jobs for resources without one. Call it in `process()`, or from iOS 27 in `processJobs()`.
        public func process() -> PHBackgroundResourceUploadProcessingResult {
            isStopped.withLock { $0 = false }
            do throws(TransferFailure) {
                var round = PhotoUploadRound(try record(), request: request) { self.isStopped.withLock { $0 } }
                try round.run()
                return round.isComplete ? .completed : .processing
            } catch {
                log("Longhaul: photos are not uploaded: \(error)")
                return .failure
            }
        }

        /// Makes ``process()`` return soon. Call it in `notifyTermination()`, or from iOS 27 in `willTerminate()`.
        public func stop() { isStopped.withLock { $0 = true } }

        // MARK: The app

        /// Allows the system to start the extension. The app needs the user's permission for the whole library. Jobs of an earlier version of
        /// the extension are deleted.
        ///
        /// Fails with `accessDenied` if the system refuses.
        public func enable() throws(TransferFailure) {
            try disable()
            try setEnabled(true)
        }

        /// Ends the uploads. The system deletes the present jobs.
        public func disable() throws(TransferFailure) {
            if PHPhotoLibrary.shared().uploadJobExtensionEnabled { try setEnabled(false) }
            var record = try record()
            try record.add(record.submitted.sorted().map { .forgotten($0) })
        }

        private func setEnabled(_ isEnabled: Bool) throws(TransferFailure) {
            do {
                try PHPhotoLibrary.shared().setUploadJobExtensionEnabled(isEnabled)
            } catch {
                throw TransferFailure(
                    .accessDenied,
                    "The system did not change the background upload of photos: \(error.localizedDescription). "
                        + "Allow the app to access all photos, and add the extension to the app.",
                    origin: .system((error as NSError).code))
            }
        }

        /// Returns the state of the uploads. Fails with `storeFailed` if the record cannot be read.
        public func status() throws(TransferFailure) -> Status {
            let record = try record()
            var status = Status(submitted: record.submitted.count, uploaded: record.uploaded.count)
            status.failed = record.refused
            for (key, failure) in record.failures where !record.needsJob(key) && !record.submitted.contains(key) {
                if !record.uploaded.contains(key) { status.failed[key] = failure.code }
            }
            return status
        }

        /// Submits the failed resources again at the next run of the extension.
        public func retryFailed() throws(TransferFailure) {
            var record = try record()
            try record.add(try status().failed.keys.sorted().map { .forgotten($0) })
        }

        private func record() throws(TransferFailure) -> PhotoUploadRecord {
            guard let directory else {
                throw TransferFailure(
                    .invalidArgument,
                    "The process is not a member of the app group. Add the group to the entitlements of the app and of the extension."
                )
            }
            return try PhotoUploadRecord(in: directory)
        }
    }
#else
    /// Not in this SDK.
    @available(*, unavailable, message: "PhotoUploads needs Xcode 26.1 for iOS, and Xcode 27 for macOS. Update Xcode.")
    public final class PhotoUploads: Sendable {}
#endif
