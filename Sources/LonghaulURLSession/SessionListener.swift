import Foundation
import LonghaulCore
import Synchronization

/// Receives the system's callbacks on the session's queue, and passes them on.
final class SessionListener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let engine = Mutex<SystemEngine?>(nil)
    private let failures = Mutex<[ObjectIdentifier: TransferFailure]>([:])

    func connect(_ engine: SystemEngine?) { self.engine.withLock { $0 = engine } }

    private var present: SystemEngine? { engine.withLock { $0 } }

    /// Why the session accepts no more tasks; `nil` if it accepts tasks. A task in an invalid session raises an exception.
    func failure(of session: URLSession) -> TransferFailure? { failures.withLock { $0[ObjectIdentifier(session)] } }

    private func end(_ session: URLSession, _ failure: TransferFailure) {
        failures.withLock { failures in
            failures[ObjectIdentifier(session)] = failures[ObjectIdentifier(session)] ?? failure
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        end(
            session,
            error.map { ErrorReading.failure($0 as NSError) }
                ?? TransferFailure(.interrupted, "The system ended the session. Launch the app again."))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        present?.processSending(task, isWhole: totalBytesSent >= totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        present?.receive(data, of: dataTask)
    }

    /// Upload tasks of background sessions have no such event.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let present else { return completionHandler(.cancel) }
        present.receiveResponse(of: dataTask, completionHandler)
    }

    /// The system asks only about redirects of foreground sessions.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(present?.redirect(task, after: response, proposal: request))
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
    /// by default, the system would search the keychain first.
    static func disposition(of challenge: URLAuthenticationChallenge) -> URLSession.AuthChallengeDisposition {
        let isAboutTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        return isAboutTrust ? .performDefaultHandling : .useCredential
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        present?.processReceiving(downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        present?.receive(location, of: downloadTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let error = error.map { $0 as NSError }
        // The session's other tasks would end in the same way.
        if let error, session.configuration.identifier != nil, ErrorReading.endsSession(error) {
            end(session, ErrorReading.failure(error))
        }
        present?.processEnd(of: task, error)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        present?.hearAllIsTold(of: session.configuration.identifier)
    }
}
