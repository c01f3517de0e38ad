package import Foundation
package import LonghaulCore
import LonghaulSystem

/// The meaning of the system's errors.
package enum ErrorReading {
    /// Returns why the system ended a task: `NSURLErrorBackgroundTaskCancelledReasonKey`, whose numbers are those of
    /// `OwnerLossReason`.
    static func reason(_ error: NSError) -> OwnerLossReason? {
        (error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? NSNumber)
            .map { OwnerLossReason(wireNumber: $0.intValue) ?? .unknown }
    }

    static func resumeData(_ error: NSError) -> Data? {
        (error.userInfo[NSURLSessionDownloadTaskResumeData] ?? error.userInfo[NSURLSessionUploadTaskResumeData])
            as? Data
    }

    /// Returns whether the error proves that no byte of the request reached a server.
    static func neverLeft(_ error: NSError) -> Bool {
        switch urlCode(of: error) {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed,
            .internationalRoamingOff, .callIsActive, .unsupportedURL, .badURL, .fileDoesNotExist,
            .noPermissionsToReadFile, .fileIsDirectory, .appTransportSecurityRequiresSecureConnection:
            true
        default: false
        }
    }

    /// Returns whether a task with resume data may have ended because the system cannot use that. Apple lists no errors for that;
    /// developers have seen errors of files and URLs, timeouts, and POSIX errors.
    static func mayRefuseResumeData(_ error: NSError, hasMoved: Bool) -> Bool {
        switch RetryPolicy.decide(failure(error), headers: []) {
        case .never: true
        case .later: !hasMoved && [nil, .timedOut].contains(urlCode(of: error))
        default: false
        }
    }

    /// Whether the background session of the task accepts no more tasks in this process.
    static func endsSession(_ error: NSError) -> Bool {
        switch urlCode(of: error) {
        case .backgroundSessionRequiresSharedContainer, .backgroundSessionInUseByAnotherProcess,
            .backgroundSessionWasDisconnected:
            true
        default: false
        }
    }

    /// Returns the code of an error of URL loading, which CFNetwork reports with the same number; `nil` for another error.
    private static func urlCode(of error: NSError) -> URLError.Code? {
        let isOfLoading = error.domain == NSURLErrorDomain || error.domain == cfNetwork && error.code < 0
        return isOfLoading ? URLError.Code(rawValue: error.code) : nil
    }

    private static let cfNetwork = "kCFErrorDomainCFNetwork"

    /// `isOfResumeData`: the system may have refused the resume data of the task, so that the next attempt, without it, may succeed.
    package static func failure(_ error: NSError, isOfResumeData: Bool = false) -> TransferFailure {
        if let reason = reason(error) {
            return TransferFailure(.connectionLost, "The system ended the transfer: \(sentence(reason))")
        }
        if isOfResumeData {
            return TransferFailure(
                .connectionLost,
                "The system could not resume the transfer. Longhaul resumes it without the system's data.",
                origin: .system(error.code))
        }
        let (code, sentence) = code(of: error)
        return TransferFailure(code, sentence, origin: .system(error.code))
    }

    /// The failure of a file operation in this process. A transfer without space waits for it, and does not fail.
    static func fileFailure(_ operation: String, _ error: any Error) -> TransferFailure {
        if (error as? SystemError)?.isOutOfSpace ?? isOutOfSpace(error as NSError) {
            return TransferFailure(.diskFull, "\(operation): the disk is full. Free some space and try again.")
        }
        return TransferFailure(.fileFailed, "\(operation): \(error.localizedDescription)")
    }

    private static func sentence(_ reason: OwnerLossReason) -> String {
        switch reason {
        case .userForceQuit: "the user force-quit the app."
        case .backgroundUpdatesDisabled: "background activity is disabled for the app."
        case .insufficientResources: "the system was low on resources."
        case .unknown, .systemRestarted: "it gave no reason."
        }
    }

    private static func code(of error: NSError) -> (FailureCode, String) {
        if isOutOfSpace(error) { return (.diskFull, "The device has no space left. Free some space.") }
        return switch error.domain {
        case NSURLErrorDomain: loading(error)
        case cfNetwork: error.code < 0 ? loading(error) : network(error.code)
        case NSPOSIXErrorDomain: systemCall(SystemError(Int32(clamping: error.code)))
        case NSCocoaErrorDomain: (.fileFailed, "The system could not read or write a file of the transfer.")
        case "NSOSStatusErrorDomain": secureTransport(error.code)
        default: (.connectionLost, "The system ended the transfer.")
        }
    }

    /// Whether a full disk is the error or its cause: URL loading reports only that it could not write its file.
    private static func isOutOfSpace(_ error: NSError) -> Bool {
        switch error.domain {
        case NSPOSIXErrorDomain: SystemError(Int32(clamping: error.code)).isOutOfSpace
        case NSCocoaErrorDomain: error.code == CocoaError.Code.fileWriteOutOfSpace.rawValue
        default: (error.userInfo[NSUnderlyingErrorKey] as? NSError).map(isOutOfSpace) ?? false
        }
    }

    private static func loading(_ error: NSError) -> (FailureCode, String) {
        switch urlCode(of: error) {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            (.offline, "There is no network.")
        case .cannotFindHost: (.hostNotFound, "Could not resolve the host. Check the URL.")
        case .dnsLookupFailed: (.nameLookupFailed, "The name server failed or did not answer. Check the network.")
        case .cannotConnectToHost: (.connectionFailed, "Could not connect to the host.")
        case .timedOut: (.timedOut, "The server did not respond in time.")
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: tlsFailed
        case .serverCertificateNotYetValid: notYetValid
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot: untrusted
        case .unsupportedURL, .badURL: (.invalidURL, "The system rejected the URL.")
        case .appTransportSecurityRequiresSecureConnection:
            (.invalidURL, "App Transport Security forbids http URLs. Use https, or add an exception to Info.plist.")
        case .fileDoesNotExist: (.sourceMissing, "The file to upload does not exist.")
        case .noPermissionsToReadFile, .fileIsDirectory: unreadable
        case .cannotCreateFile, .cannotOpenFile, .cannotWriteToFile, .cannotMoveFile, .cannotCloseFile,
            .cannotRemoveFile, .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete:
            (.fileFailed, "The system could not write the file.")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            (.protocolViolation, "The server's response is not valid HTTP.")
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            (.redirectRefused, "The server redirected too often or to a missing location.")
        case .userAuthenticationRequired, .userCancelledAuthentication: unauthorized
        case .backgroundSessionRequiresSharedContainer:
            (.interrupted, "The system's background session requires the container of an app group. Set the app group.")
        case .backgroundSessionInUseByAnotherProcess:
            (.interrupted, "Another process uses the system's background session. Launch the app again.")
        case .backgroundSessionWasDisconnected:
            (.interrupted, "The system's transfer service ended. Launch the app again.")
        default: (.connectionLost, "The connection was lost.")
        }
    }

    private static let tlsFailed = (FailureCode.tlsFailed, "The TLS handshake failed.")
    private static let untrusted = (FailureCode.certificateRejected, "The server's certificate is not trusted.")
    private static let notYetValid = (
        FailureCode.notYetValid, "The server's certificate is not valid yet. Check the clock of this device."
    )
    private static let unreadable = (FailureCode.sourceUnreadable, "Could not read the file to upload.")
    private static let unauthorized = (FailureCode.credentialsRequired, "The server requires other credentials.")

    // Source: cfnetwork/cfnetworkerrors
    private static func network(_ code: Int) -> (FailureCode, String) {
        switch code {
        case 1, 2: (.hostNotFound, "Could not resolve the host. Check the URL.")
        case 100..<200, 306...310: (.proxyFailed, "The proxy failed or refused the connection. Check its settings.")
        case 300, 301: unauthorized
        case 303: (.protocolViolation, "The server's response is not valid HTTP.")
        case 304: (.redirectRefused, "The server redirects in a loop.")
        case 305: (.invalidURL, "The system rejected the URL.")
        default: (.connectionLost, "The connection was lost.")
        }
    }

    private static func systemCall(_ error: SystemError) -> (FailureCode, String) {
        switch error {
        case .timedOut: (.timedOut, "The server did not respond in time.")
        case .connectionRefused: (.connectionRefused, "The host refused the connection.")
        case _ where error.isLackOfNetwork: (.connectionFailed, "Could not connect to the host.")
        case _ where error.isLackOfDescriptors: (.tooManyOpenFiles, "Too many files are open.")
        case _ where error.isRefusal: unreadable
        case _ where error.isMissing: (.fileFailed, "The system could not find a file of the transfer.")
        case .inputOutput, .fileTooLarge: (.fileFailed, "The system could not write the file.")
        default: (.connectionLost, "The connection was lost.")
        }
    }

    // Source: security/errsslprotocol and the pages beside it
    private static func secureTransport(_ code: Int) -> (FailureCode, String) {
        switch code {
        case -9815: notYetValid
        // The chain, its roots, its dates, the host's name, or the peer's opinion of them.
        case -9807, -9808, -9812, -9813, -9814, -9843: untrusted
        case -9899 ... -9800: tlsFailed
        default: (.connectionLost, "The connection was lost.")
        }
    }
}
