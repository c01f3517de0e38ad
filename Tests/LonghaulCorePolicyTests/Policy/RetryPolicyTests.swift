import LonghaulCore
import Testing

@Suite struct RetryPolicyTests {
    /// The intended table, independent of the code; failures that are missing here are never retried.
    private static let advice: [FailureCode: RetryAdvice] = [
        .offline: .whenNetworkReturns, .nameLookupFailed: .whenNetworkReturns, .captivePortal: .whenNetworkReturns,
        .hostNotFound: .later(countsAttempt: true),
        .connectionRefused: .later(countsAttempt: true), .connectionFailed: .later(countsAttempt: true),
        .connectionLost: .later(countsAttempt: true), .timedOut: .later(countsAttempt: true),
        .serverBusy: .later(countsAttempt: true), .serverFailed: .later(countsAttempt: true),
        .lengthMismatch: .later(countsAttempt: true), .diskFull: .whenSpaceIsFree,
        .credentialsRequired: .needsCredentials, .interrupted: .later(countsAttempt: false),
        .tooManyOpenFiles: .later(countsAttempt: false), .notYetValid: .whenClockChanges, .notMounted: .whenMounted,
    ]

    @Test(arguments: FailureCode.allCases)
    func everyCodeHasItsAdvice(code: FailureCode) {
        #expect(RetryPolicy.decide(TransferFailure(code, "x"), headers: []) == Self.advice[code] ?? .never)
    }

    @Test func onlyHandshakeThatAlwaysFailsIsNotRetried() {
        let broken = TransferFailure(.tlsFailed, "x", origin: .curl(35))
        #expect(RetryPolicy.decide(broken, headers: []) == .later(countsAttempt: true))
        #expect(RetryPolicy.decide(TransferFailure(.tlsFailed, "x"), headers: []) == .never)
    }

    @Test(arguments: [
        (501, false), (505, false), (506, false), (507, false), (508, false), (509, false), (510, false), (500, true),
        (502, true), (599, true),
    ])
    func aLastingServerFailureIsNotTriedAgain(status: Int, passes: Bool) {
        let failure = TransferFailure(.serverFailed, "x", origin: .status(status))
        #expect(RetryPolicy.decide(failure, headers: []) == (passes ? .later(countsAttempt: true) : .never))
    }

    @Test func retryAfterMakesOnlyQuotaPass() {
        let headers = [HeaderField("Retry-After", "60")]
        for (status, advice) in [(507, RetryAdvice.never), (508, .never), (509, .later(countsAttempt: true))] {
            let failure = TransferFailure(.serverFailed, "x", origin: .status(status))
            #expect(RetryPolicy.decide(failure, headers: headers) == advice, "\(status)")
        }
    }

    @Test(
        arguments: [
            (.longhaul, false), (.system(2), false), (.system(13), false), (.system(12), true), (.curl(7), true),
            (.status(403), false), (.status(404), false), (.status(502), true), (.status(503), true),
            (.status(501), false),
        ] as [(TransferFailure.Origin, Bool)])
    func proxyFailureIsRetriedByItsCause(origin: TransferFailure.Origin, isRetried: Bool) {
        let failure = TransferFailure(.proxyFailed, "x", origin: origin)
        #expect(RetryPolicy.decide(failure, headers: []) == (isRetried ? .later(countsAttempt: true) : .never))
    }

    @Test func limitOfRequestsWithStatus403Passes() {
        let failure = TransferFailure(.forbidden, "x", origin: .status(403))
        let reset = HeaderField("X-RateLimit-Reset", "1700000000")
        for (headers, isRetried) in [
            ([HeaderField("Retry-After", "3")], true), ([HeaderField("X-RateLimit-Remaining", "0"), reset], true),
            ([HeaderField("X-RateLimit-Remaining", "7"), reset], false), ([], false),
        ] {
            #expect(RetryPolicy.decide(failure, headers: headers) == (isRetried ? .later(countsAttempt: true) : .never))
        }
    }

    @Test func aBodyThatIsTooLargeForNowIsTriedLater() {
        let failure = TransferFailure(.requestRejected, "x", origin: .status(413))
        #expect(RetryPolicy.decide(failure, headers: []) == .never)
        let headers = [HeaderField("Retry-After", "60")]
        #expect(RetryPolicy.decide(failure, headers: headers) == .later(countsAttempt: true))
        let other = TransferFailure(.requestRejected, "x", origin: .status(422))
        #expect(RetryPolicy.decide(other, headers: headers) == .never)
    }
}
