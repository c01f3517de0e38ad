import Foundation
import LonghaulCore
import Synchronization

/// Receives the system's callbacks on the session's queue, and passes them on.
///
/// It answers no challenges: the system may launch the app for each challenge of a background session whose delegate answers it.
final class SessionListener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let engine = Mutex<SystemEngine?>(nil)
    private let failures = Mutex<[ObjectIdentifier: TransferFailure]>([:])

    func connect(_ engine: SystemEngine?) { self.engine.withLock { $0 = engine } }

    var present: SystemEngine? { engine.withLock { $0 } }

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
