import Foundation

/// Receives the callbacks of the session that runs in this process, which asks for more decisions.
final class ForegroundListener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let common: SessionListener

    init(_ common: SessionListener) { self.common = common }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let engine = common.present else { return completionHandler(.cancel) }
        engine.receiveResponse(of: dataTask, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(common.present?.redirect(task, after: response, proposal: request))
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(Self.disposition(of: challenge), nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(Self.disposition(of: challenge), nil)
    }

    /// Requests have their credentials in their headers. Without a credential here, the refusal is the response, and Longhaul reports it;
    /// by default, the system would search the keychain first. The system decides about trust, and knows the passwords of its proxies.
    static func disposition(of challenge: URLAuthenticationChallenge) -> URLSession.AuthChallengeDisposition {
        let space = challenge.protectionSpace
        let isOfSystem = space.authenticationMethod == NSURLAuthenticationMethodServerTrust || space.isProxy()
        return isOfSystem ? .performDefaultHandling : .useCredential
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        common.urlSession(session, didBecomeInvalidWithError: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        common.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        common.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        common.urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        common.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        common.urlSession(session, task: task, didCompleteWithError: error)
    }
}
