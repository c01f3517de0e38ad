// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
public import ExtensionFoundation
public import Foundation
#if !DECLARATIONS
    @_exported public import FoundationDouble
#endif

// Source: photos/phbackgroundresourceuploadprocessingresult
@available(macOS 27.0, iOS 26.1, *)
public enum PHBackgroundResourceUploadProcessingResult: Int, Sendable {
    case failure, processing, completed
}

// Source: photos/phassetresourceuploadjob
@available(macOS 27.0, iOS 26.1, *)
open class PHAssetResourceUploadJob: PHObject {
    // Source: photos/phassetresourceuploadjob/action, photos/phassetresourceuploadjob/action/process
    public enum Action: Int, Sendable {
        case acknowledge = 1, retry
        @available(macOS 27.0, iOS 26.5, *)
        case process
    }

    // Source: photos/phassetresourceuploadjob/state-swift.enum, photos/phassetresourceuploadjob/state-swift.enum/cancelled
    public enum State: Int, Sendable {
        case registered = 1, pending, failed, succeeded
        @available(macOS 27.0, iOS 26.4, *)
        case cancelled
    }

    // Source: photos/phassetresourceuploadjob/joblimit, photos/phassetresourceuploadjob/destination
    // Source: photos/phassetresourceuploadjob/fetchjobs(action:options:), photos/phassetresourceuploadjob/state-swift.property
    open class var jobLimit: Int { PhotoLibraryContent.shared.read(\.limit) }
    open class func fetchJobs(
        action: PHAssetResourceUploadJob.Action, options: PHFetchOptions?
    ) -> PHFetchResult<PHAssetResourceUploadJob> {
        PHFetchResult(
            PhotoLibraryContent.shared.read { state in
                state.jobs.filter { $0.allows(action.rawValue) }.map(PHAssetResourceUploadJob.init)
            })
    }
    open var destination: URLRequest { job.destination }
    open var state: PHAssetResourceUploadJob.State { State(rawValue: job.state.rawValue) ?? .pending }

    // Source: photos/phassetresourceuploadjob/error
    @available(macOS 27.0, iOS 26.4, *)
    open var error: (any Error)? { job.error }

    let job: PhotoLibraryContent.Job

    init(_ job: PhotoLibraryContent.Job) {
        self.job = job
        super.init(job.identifier)
    }
}

// Source: photos/phassetresourceuploadjobchangerequest
@available(macOS 27.0, iOS 26.1, *)
open class PHAssetResourceUploadJobChangeRequest: NSObject {
    private let identifier: String

    // Source: photos/phassetresourceuploadjobchangerequest/createjob(destination:resource:)
    @available(iOS, introduced: 26.1, deprecated: 26.4)
    open class func createJob(destination: URLRequest, resource: PHAssetResource) {
        PhotoLibraryContent.shared.plan(.create(destination))
    }

    // Source: photos/phassetresourceuploadjobchangerequest/creationrequestforjob(destination:resource:)
    @available(macOS 27.0, iOS 26.4, *)
    open class func creationRequestForJob(
        destination: URLRequest, resource: PHAssetResource
    ) -> PHAssetResourceUploadJobChangeRequest {
        PhotoLibraryContent.shared.plan(.create(destination))
        return PHAssetResourceUploadJobChangeRequest(identifier: "created")
    }

    // Source: photos/phassetresourceuploadjobchangerequest/init(for:)
    // Source: photos/phassetresourceuploadjobchangerequest/acknowledge()
    // Source: photos/phassetresourceuploadjobchangerequest/retry(destination:)
    public convenience init?(for job: PHAssetResourceUploadJob) { self.init(identifier: job.localIdentifier) }
    open func acknowledge() { PhotoLibraryContent.shared.plan(.acknowledge(identifier)) }
    open func retry(destination: URLRequest?) { PhotoLibraryContent.shared.plan(.retry(identifier, destination)) }

    private init(identifier: String) { self.identifier = identifier }
}

// Source: photos/phbackgroundresourceuploadextension, photos/phbackgroundresourceuploadextension/process()
// Source: photos/phbackgroundresourceuploadextension/notifytermination()
@available(iOS, introduced: 26.1, deprecated: 27.0)
@available(macOS, unavailable)
public protocol PHBackgroundResourceUploadExtension: AppExtension {
    func process() -> PHBackgroundResourceUploadProcessingResult
    func notifyTermination()
}

@available(iOS, introduced: 26.1, deprecated: 27.0)
@available(macOS, unavailable)
extension PHBackgroundResourceUploadExtension {
    // Source: photos/phbackgroundresourceuploadextension
    public var configuration: some AppExtensionConfiguration { SystemConfiguration() }
}

// Source: photos/phbackgroundresourceuploadjobextension, photos/phbackgroundresourceuploadjobextension/processjobs()
// Source: photos/phbackgroundresourceuploadjobextension/willterminate()
@available(macOS 27.0, iOS 27.0, *)
public protocol PHBackgroundResourceUploadJobExtension: AppExtension {
    func processJobs() async -> PHBackgroundResourceUploadProcessingResult
    func willTerminate() async
}

@available(macOS 27.0, iOS 27.0, *)
extension PHBackgroundResourceUploadJobExtension {
    // Source: photos/phbackgroundresourceuploadjobextension
    public var configuration: some AppExtensionConfiguration { SystemConfiguration() }
}

@available(macOS 13.0, iOS 26.0, *)
private struct SystemConfiguration: AppExtensionConfiguration {}
