import Foundation
import Synchronization

/// Receives the system's callbacks on the session's queue, and passes them on.
final class SessionListener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let engine = Mutex<SystemEngine?>(nil)
    private let invalid = Mutex<Set<ObjectIdentifier>>([])

    func connect(_ engine: SystemEngine?) { self.engine.withLock { $0 = engine } }

    private var present: SystemEngine? { engine.withLock { $0 } }

    /// Whether the session accepts tasks. An invalid one raises an exception.
    func isValid(_ session: URLSession) -> Bool { !invalid.withLock { $0.contains(ObjectIdentifier(session)) } }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        invalid.withLock { _ = $0.insert(ObjectIdentifier(session)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        if totalBytesSent >= totalBytesExpectedToSend { present?.processBodySent(task) }
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
        present?.processEnd(of: task, error.map { $0 as NSError })
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        present?.hearAllIsTold(of: session.configuration.identifier)
    }
}
