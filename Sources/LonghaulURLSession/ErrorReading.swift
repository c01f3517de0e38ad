import Foundation
import LonghaulCore

/// The meaning of the system's errors.
enum ErrorReading {
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
        switch URLError.Code(rawValue: error.code) {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed,
            .internationalRoamingOff, .unsupportedURL, .badURL, .fileDoesNotExist, .noPermissionsToReadFile:
            true
        default: false
        }
    }

    static func failure(_ error: NSError) -> TransferFailure {
        if let reason = reason(error) {
            return TransferFailure(.connectionLost, "The system ended the transfer: \(sentence(reason))")
        }
        let (code, sentence) = code(of: error)
        return TransferFailure(code, sentence, origin: .system(error.code))
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
        guard error.domain == NSURLErrorDomain else { return (.connectionLost, "The system ended the transfer.") }
        return switch URLError.Code(rawValue: error.code) {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: (.offline, "There is no network.")
        case .cannotFindHost: (.hostNotFound, "Could not resolve the host. Check the URL.")
        case .dnsLookupFailed: (.nameLookupFailed, "The name server failed or did not answer. Check the network.")
        case .cannotConnectToHost: (.connectionFailed, "Could not connect to the host.")
        case .timedOut: (.timedOut, "The server did not respond in time.")
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            (.tlsFailed, "The TLS handshake failed.")
        case .serverCertificateNotYetValid:
            (.notYetValid, "The server's certificate is not valid yet. Check the clock of this device.")
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot:
            (.certificateRejected, "The server's certificate is not trusted.")
        case .unsupportedURL, .badURL: (.invalidURL, "The system rejected the URL.")
        case .fileDoesNotExist: (.sourceMissing, "The file to upload does not exist.")
        case .noPermissionsToReadFile: (.sourceUnreadable, "Could not read the file to upload.")
        case .cannotCreateFile, .cannotOpenFile, .cannotWriteToFile, .cannotMoveFile, .cannotCloseFile:
            (.fileFailed, "The system could not write the file.")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            (.protocolViolation, "The server's response is not valid HTTP.")
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            (.redirectRefused, "The server redirected too often or to a missing location.")
        case .userAuthenticationRequired: (.credentialsRequired, "The server requires other credentials.")
        default: (.connectionLost, "The connection was lost.")
        }
    }
}
