// swift-corelibs-foundation instead of the doubles: `scripts/check` type-checks the engine against it, with this file
// as its `Platform.swift`. It is an independent implementation of the same declarations. The declarations that it lacks
// or makes unavailable are below; only the doubles confirm these.
import Foundation
@_exported public import FoundationNetworking

let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLSession {
    func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        uploadTask(with: URLRequest(url: URL(fileURLWithPath: "/")), from: resumeData)
    }
}

extension URLSessionUploadTask {
    func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) { cancel() }
}

extension URLRequest {
    var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
    var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
}

extension URLSessionConfiguration {
    var waitsForConnectivity: Bool {
        get { true }
        set {}
    }
    var sessionSendsLaunchEvents: Bool {
        get { true }
        set {}
    }
    var sharedContainerIdentifier: String? {
        get { nil }
        set {}
    }
    class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
}
