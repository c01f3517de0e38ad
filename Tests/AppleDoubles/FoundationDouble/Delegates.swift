// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
// A declaration module has no optional methods, so that a call of one without `?` does not compile, as with Apple's SDK.
// The double has requirements with default implementations: a near miss is a warning.

// Source: foundation/urlsessiondelegate, foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    #if !DECLARATIONS
        @available(macOS 11.0, *)
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
        // Source: foundation/urlsessiondelegate/urlsession(_:didbecomeinvalidwitherror:)
        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
        // Source: foundation/urlsessiondelegate/urlsession(_:didreceive:completionhandler:)
        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    #endif
}

// Source: foundation/urlsessiontaskdelegate
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    #if !DECLARATIONS
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:didsendbodydata:totalbytessent:totalbytesexpectedtosend:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:didcompletewitherror:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:willperformhttpredirection:newrequest:completionhandler:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:didreceive:completionhandler:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:willbegindelayedrequest:completionhandler:)
        @available(macOS 10.13, iOS 11.0, *)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:taskiswaitingforconnectivity:)
        @available(macOS 10.13, iOS 11.0, *)
        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:neednewbodystream:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:neednewbodystreamfrom:completionhandler:)
        @available(macOS 14.0, iOS 17.0, *)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
            completionHandler: @escaping @Sendable (InputStream?) -> Void)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:didreceiveinformationalresponse:)
        @available(macOS 14.0, iOS 17.0, *)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)
        // Source: foundation/urlsessiontaskdelegate/urlsession(_:task:didfinishcollecting:)
        @available(macOS 10.12, iOS 10.0, *)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    #endif
}

// Source: foundation/urlsessiondatadelegate, foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:)
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    #if !DECLARATIONS
        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        // Source: foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:completionhandler:)
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    #endif
}

// Source: foundation/urlsessiondownloaddelegate
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    // The only one that is not optional.
    // Source: foundation/urlsessiondownloaddelegate/urlsession(_:downloadtask:didfinishdownloadingto:)
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    #if !DECLARATIONS
        // Source: foundation/urlsessiondownloaddelegate/urlsession(_:downloadtask:didwritedata:totalbyteswritten:totalbytesexpectedtowrite:)
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
        // Source: foundation/urlsessiondownloaddelegate/urlsession(_:downloadtask:didresumeatoffset:expectedtotalbytes:)
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
            expectedTotalBytes: Int64)
    #endif
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDelegate {
    public func urlSessionDidFinishEvents(  // Double only.
        forBackgroundURLSession session: URLSession
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, didBecomeInvalidWithError error: (any Error)?
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.isUnanswered = true
        completionHandler(.performDefaultHandling, nil)
    }
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionTaskDelegate {
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(request) }
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.isUnanswered = true
        completionHandler(.performDefaultHandling, nil)
    }
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) { completionHandler(.continueLoading, nil) }
    public func urlSession(  // Double only.
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(nil) }
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { completionHandler(nil) }
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDataDelegate {
    public func urlSession(  // Double only.
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(.allow) }
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDownloadDelegate {
    public func urlSession(  // Double only.
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    public func urlSession(  // Double only.
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
}

extension URLSession {
    // Source: foundation/urlsession/authchallengedisposition
    @available(macOS 10.9, iOS 7.0, *)
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }

    // Source: foundation/urlsession/responsedisposition
    @available(macOS 10.9, iOS 7.0, *)
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }

    // Source: foundation/urlsession/delayedrequestdisposition
    @available(macOS 10.13, iOS 11.0, *)
    public enum DelayedRequestDisposition: Int, Sendable { case continueLoading, useNewRequest, cancel }
}

// Apple's pages do not say that the classes below are Sendable.
// Source: foundation/urlauthenticationchallenge
@available(macOS 10.2, iOS 2.0, *)
open class URLAuthenticationChallenge: NSObject {
    // Source: foundation/urlauthenticationchallenge/protectionspace
    public let protectionSpace: URLProtectionSpace
    /// Double only: whether the delegate has no method for it.
    var isUnanswered = false

    /// Double only: a challenge with this method.
    public init(_ method: String, isOfProxy: Bool = false) {
        protectionSpace = URLProtectionSpace(method, isOfProxy: isOfProxy)
    }
}

// Source: foundation/urlprotectionspace
@available(macOS 10.2, iOS 2.0, *)
open class URLProtectionSpace: NSObject {
    // Source: foundation/urlprotectionspace/authenticationmethod
    public let authenticationMethod: String
    private let isOfProxy: Bool

    // Source: foundation/urlprotectionspace/isproxy()
    open override func isProxy() -> Bool { isOfProxy }

    /// Double only.
    init(_ method: String, isOfProxy: Bool) {
        authenticationMethod = method
        self.isOfProxy = isOfProxy
    }
}

// Source: foundation/nsurlauthenticationmethodhttpbasic
@available(macOS 10.2, iOS 2.0, *)
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
// Source: foundation/nsurlauthenticationmethodservertrust
@available(macOS 10.6, iOS 3.0, *)
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

// Source: foundation/urlcredentialstorage
@available(macOS 10.2, iOS 2.0, *)
open class URLCredentialStorage: NSObject, @unchecked Sendable {
    // Source: foundation/urlcredentialstorage/shared
    open class var shared: URLCredentialStorage { URLCredentialStorage() }
}

// Source: foundation/urlcredential
@available(macOS 10.2, iOS 2.0, *)
open class URLCredential: NSObject {}

// Source: foundation/urlsessiontaskmetrics
@available(macOS 10.12, iOS 10.0, *)
open class URLSessionTaskMetrics: NSObject {}
