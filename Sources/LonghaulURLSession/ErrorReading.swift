import Foundation
import LonghaulCore

/// What the system's errors mean.
enum ErrorReading {
    /// Why the system ended a task by itself: `NSURLErrorBackgroundTaskCancelledReasonKey`, whose numbers are those of
    /// `OwnerLossReason`.
    static func reason(_ error: NSError) -> OwnerLossReason? {
        (error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? NSNumber)
            .map { OwnerLossReason(wireNumber: $0.intValue) ?? .unknown }
    }

    static func resumeData(_ error: NSError) -> Data? {
        (error.userInfo[NSURLSessionDownloadTaskResumeData] ?? error.userInfo[NSURLSessionUploadTaskResumeData])
            as? Data
    }

    /// Whether it proves that no byte of the request reached a server.
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
            return TransferFailure(.connectionLost, "The system ended it: \(sentence(reason))")
        }
        let (code, sentence) = code(of: error)
        return TransferFailure(code, sentence, origin: .system(error.code))
    }

    private static func sentence(_ reason: OwnerLossReason) -> String {
        switch reason {
        case .userForceQuit: "a person ended the app by force."
        case .backgroundUpdatesDisabled: "the app may do nothing in the background."
        case .insufficientResources: "it was short of something."
        case .unknown, .systemRestarted: "it does not say why."
        }
    }

    private static func code(of error: NSError) -> (FailureCode, String) {
        guard error.domain == NSURLErrorDomain else { return (.connectionLost, "The system ended it.") }
        return switch URLError.Code(rawValue: error.code) {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: (.offline, "There is no network.")
        case .cannotFindHost: (.hostNotFound, "The host's name cannot be resolved. Check the URL.")
        case .dnsLookupFailed: (.nameLookupFailed, "The name server did not answer, or failed. Check the network.")
        case .cannotConnectToHost: (.connectionFailed, "No connection with the host could be made.")
        case .timedOut: (.timedOut, "The server was silent for too long.")
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            (.tlsFailed, "No secure connection could be agreed on.")
        case .serverCertificateNotYetValid:
            (.notYetValid, "The server's certificate is not valid yet. Check the clock of this device.")
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot:
            (.certificateRejected, "The server's certificate is not accepted.")
        case .unsupportedURL, .badURL: (.invalidURL, "The system does not take the URL.")
        case .fileDoesNotExist: (.sourceMissing, "The file to upload does not exist.")
        case .noPermissionsToReadFile: (.sourceUnreadable, "The file to upload cannot be read.")
        case .cannotCreateFile, .cannotOpenFile, .cannotWriteToFile, .cannotMoveFile, .cannotCloseFile:
            (.fileFailed, "The system could not write the file.")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            (.protocolViolation, "The server's answer makes no sense.")
        case .httpTooManyRedirects, .redirectToNonExistentLocation:
            (.redirectRefused, "The server sent the request from place to place.")
        case .userAuthenticationRequired: (.credentialsRequired, "The server requires other credentials.")
        default: (.connectionLost, "The connection broke in the middle.")
        }
    }
}
