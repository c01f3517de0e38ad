import Foundation
import LonghaulCore
import Testing

@testable import LonghaulURLSession

/// The failures for the system's errors.
@Suite struct ErrorReadingTests {
    private static let loading: [(Int, FailureCode)] = [
        (-1, .connectionLost), (-995, .interrupted), (-996, .interrupted), (-997, .interrupted),
        (-998, .connectionLost), (-999, .connectionLost), (-1000, .invalidURL), (-1001, .timedOut),
        (-1002, .invalidURL), (-1003, .hostNotFound), (-1004, .connectionFailed), (-1005, .connectionLost),
        (-1006, .nameLookupFailed), (-1007, .redirectRefused), (-1008, .connectionLost), (-1009, .offline),
        (-1010, .redirectRefused), (-1011, .protocolViolation), (-1012, .credentialsRequired),
        (-1013, .credentialsRequired), (-1014, .connectionLost), (-1015, .protocolViolation),
        (-1016, .protocolViolation), (-1017, .protocolViolation), (-1018, .offline), (-1019, .offline),
        (-1020, .offline), (-1021, .connectionLost), (-1022, .invalidURL), (-1100, .sourceMissing),
        (-1101, .sourceUnreadable), (-1102, .sourceUnreadable), (-1200, .tlsFailed), (-1201, .certificateRejected),
        (-1202, .certificateRejected), (-1203, .certificateRejected), (-1204, .notYetValid), (-1205, .tlsFailed),
        (-1206, .tlsFailed), (-3000, .fileFailed), (-3001, .fileFailed), (-3002, .fileFailed), (-3003, .fileFailed),
        (-3004, .fileFailed), (-3005, .fileFailed), (-3006, .fileFailed), (-3007, .fileFailed),
    ]

    private static let others: [(String, Int, FailureCode)] = [
        ("kCFErrorDomainCFNetwork", 1, .hostNotFound), ("kCFErrorDomainCFNetwork", 2, .hostNotFound),
        ("kCFErrorDomainCFNetwork", 110, .proxyFailed), ("kCFErrorDomainCFNetwork", 301, .credentialsRequired),
        ("kCFErrorDomainCFNetwork", 302, .connectionLost), ("kCFErrorDomainCFNetwork", 303, .protocolViolation),
        ("kCFErrorDomainCFNetwork", 304, .redirectRefused), ("kCFErrorDomainCFNetwork", 305, .invalidURL),
        ("kCFErrorDomainCFNetwork", 306, .proxyFailed), ("kCFErrorDomainCFNetwork", 310, .proxyFailed),
        (NSPOSIXErrorDomain, Int(ENOSPC), .diskFull), (NSPOSIXErrorDomain, Int(EDQUOT), .diskFull),
        (NSPOSIXErrorDomain, Int(ENOENT), .fileFailed), (NSPOSIXErrorDomain, Int(EIO), .fileFailed),
        (NSPOSIXErrorDomain, Int(EPERM), .sourceUnreadable), (NSPOSIXErrorDomain, Int(EMFILE), .tooManyOpenFiles),
        (NSPOSIXErrorDomain, Int(ETIMEDOUT), .timedOut), (NSPOSIXErrorDomain, Int(ECONNREFUSED), .connectionRefused),
        (NSPOSIXErrorDomain, Int(EHOSTUNREACH), .connectionFailed),
        (NSPOSIXErrorDomain, Int(ECONNABORTED), .connectionLost), (NSCocoaErrorDomain, 640, .diskFull),
        (NSCocoaErrorDomain, 4, .fileFailed), ("NSOSStatusErrorDomain", -9806, .tlsFailed),
        ("NSOSStatusErrorDomain", -9807, .certificateRejected), ("NSOSStatusErrorDomain", -9814, .certificateRejected),
        ("NSOSStatusErrorDomain", -9815, .notYetValid), ("NSOSStatusErrorDomain", -9843, .certificateRejected),
        ("NSOSStatusErrorDomain", -50, .connectionLost), ("org.example", 1, .connectionLost),
    ]

    @Test(arguments: loading.flatMap { [(NSURLErrorDomain, $0, $1), ("kCFErrorDomainCFNetwork", $0, $1)] } + others)
    func eachErrorHasItsFailure(_ domain: String, _ code: Int, _ expected: FailureCode) {
        let failure = ErrorReading.failure(NSError(domain: domain, code: code))
        #expect(failure.code == expected && failure.origin == .system(code))
    }

    /// Numbers of one domain mean something else in another.
    @Test func onlyErrorsOfLoadingProveThatNothingWasSent() {
        #expect(ErrorReading.neverLeft(NSError(domain: NSURLErrorDomain, code: -1003)))
        #expect(!ErrorReading.neverLeft(NSError(domain: "org.example", code: -1003)))
        #expect(!ErrorReading.neverLeft(NSError(domain: NSURLErrorDomain, code: -1005)))
    }

    @Test func fullDiskIsFoundBehindOtherErrors() {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
        let error = NSError(domain: NSURLErrorDomain, code: -3003, userInfo: [NSUnderlyingErrorKey: cause])
        #expect(ErrorReading.failure(error).code == .diskFull)
    }
}
