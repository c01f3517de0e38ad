// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
// A declaration module has no optional methods, so that a call of one without `?` does not compile, as with Apple's SDK.
// The double has requirements with default implementations: a near miss is a warning.

// Source: foundation/urlsessiondelegate, foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    #if !DECLARATIONS
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
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
    #endif
}

// Source: foundation/urlsessiondatadelegate, foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:)
@available(macOS 10.9, iOS 7.0, *)
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    #if !DECLARATIONS
        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
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
    #endif
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDelegate {
    public func urlSessionDidFinishEvents(  // Double only.
        forBackgroundURLSession session: URLSession
    ) {}
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
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDataDelegate {
    public func urlSession(  // Double only.
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {}
}

@available(macOS 10.9, iOS 7.0, *)
extension URLSessionDownloadDelegate {
    public func urlSession(  // Double only.
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
}
