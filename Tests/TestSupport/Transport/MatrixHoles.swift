/// The reasons why tests do not run over a transport. All other tests run over all transports.
enum MatrixHoles {
    /// Returns the reason. `row` is the test with its target, and with its variant if it has one.
    static func reason(row: String, transport: Transport) -> String? {
        let words = row.replacing(", ", with: ".").split(separator: ".").map(String.init)
        let names = (0..<2).flatMap { first in
            words.indices.dropFirst(first).map { words[first...$0].joined(separator: ".") }
        }
        return table.first { $0.transports.contains(transport) && !$0.tests.isDisjoint(with: names) }?.reason
    }

    private static let secure: Set<Transport> = [.secureHTTP1, .http2]

    private static let all: Set<Transport> = [.http1, .secureHTTP1, .http2]

    /// A test is named with its suite, and with its target if the suite's name is not unique; a suite stands for all
    /// its tests.
    private static let table: [(transports: Set<Transport>, reason: String, tests: Set<String>)] = [
        (
            secure, "encrypted connections stay with libcurl",
            [
                "TakeOverTests.aDownloadIsReceivedPastLibcurlFromAnyByte", "TakeOverTests.anUploadLeavesPastLibcurl",
                "LentFileTests.changeOfLentFileFailsTheUpload", "LentFileTests.changeOfLentFormFileFailsTheUpload",
            ]
        ),
        (
            secure, "app scenarios do not depend on the transport", ["LinuxConformanceTests"]
        ),
        (
            secure, "one plain HTTP server stands for the public hosts of the documents", ["DocumentedRunTests"]
        ),
        (
            [.http1], "certificates and keys require TLS",
            [
                "IdentityTests.clientCertificateIsPresented",
                "IdentityTests.connectionIsReusedOnlyWithItsKeyAndPassword", "IdentityTests.tokenPINStaysOutOfTheLog",
                "IdentityTests.aPinnedKeyIsTheOnlyOne",
                "TrustTests.aKeyIsAcceptedForOneServerByWhoSawIt",
                "SessionConformance.AcceptedKeyTests.trustingReportedCertificateAllowsDownload",
            ]
        ),
        (
            secure, "a file is moved into place after its connection has ended",
            ["FileSystemTests.refusedOperationsLoseNothing", "FileSystemTests.aTakenNameGivesWay"]
        ),
        (
            secure, "a proxy script is evaluated before any connection",
            ["FoundProxyTests.brokenProxyScriptIsReported", "FoundProxyTests.unreadableProxyScriptIsReported"]
        ),
        (
            secure, "proxy scripts are fetched with the system's CA certificates only",
            ["FoundProxyTests.fetchedScriptAllowsDirectConnection"]
        ),
        (
            secure, "name resolution and network links come before TLS", ["NameServerTests", "LinkStateTests"]
        ),
        (
            [.http1, .http2], "the certificate is rejected before the first HTTP request",
            ["ClockCertificateTests", "RejectedCertificateTests"]
        ),
        (
            [.http2], "HTTP/2 does not send headers as text",
            [
                "ResponseHeadTests.fieldsAreReadAsTheyWereMeant",
                "ResponseHeadTests.bytesThatAreNotUTF8AreReadAsLatin1",
                "ResponseHeadTests.trailersAreNotFields",
            ]
        ),
        (
            [.http2], "flow control keeps unread bytes with the sender",
            ["LentFileTests.aFileThatIsReplacedArrivesAsItWas"]
        ),
        (
            [.http2], "uploads do not wait for 100 Continue: flow control limits the body",
            ["UploadTests.aRefusalInsteadOf100SendsNoBody", "UploadTests.anUnknownExpectationIsDroppedAndTheBodySent"]
        ),
        (
            secure, "the example trusts the system's CA certificates only",
            [
                "PythonExampleTests.exampleDownloadsWatchesPausesAndResumes",
                "PythonExampleTests.exampleHasAtMostOneHundredLines",
            ]
        ),
        (
            secure, "the test connects to no server",
            [
                "FailureTests.aRefusedConnection", "FailureTests.aNameThatIsNowhere",
                "FailureTests.aURLOfAnotherScheme",
                "FailureTests.aProxyThatIsNotThere", "FailureTests.aFieldThatBreaksOut",
                "LifeTests.anUnusedEngineEndsAtOnce",
            ]
        ),
        (
            [.http1, .secureHTTP1], "HTTP/1.1 has no streams that share a connection",
            [
                "StreamFaultTests.aStreamThatIsResetIsALostConnection", "StreamFaultTests.aRefusedStreamIsTriedAgain",
                "StreamFaultTests.aRequestThatTheConnectionsEndLeavesOutIsMadeAgain",
                "StreamFaultTests.anUploadThatTheConnectionsEndLeavesOutIsMadeAgain",
                "StreamFaultTests.anEarlyRefusalCountsAlsoWhenWhatIsHeldIsReleased",
                "StreamFaultTests.aRefusedStreamIsTriedAgainAlsoWithItsLastBytes",
                "StreamFaultTests.uploadThatRequiresHTTP1IsSentAgain",
                "StreamFaultTests.moreThanTheServerAllowsAtOnceAllArrive", "StreamFaultTests.aTinyWindowIsHeeded",
                "StreamFaultTests.transferSurvivesSlowProxyConnection",
            ]
        ),
        (
            [.http1, .secureHTTP1], "the test covers servers with HTTP/2", ["HTTP2PeerTests.allArrive"]
        ),
        (
            [.http2], "yielding transfers use HTTP/1.1, which the HTTP/2 server does not speak",
            ["YieldingTests"]
        ),
        (
            [.http2], "HTTP/2 has no bytes between responses: each frame belongs to a stream",
            ["LibcurlFaultTests.strayResponseAnswersNoRequest"]
        ),
        (
            [.http2], "libcurl delivers no bytes of a body that is shorter than announced",
            ["EarlySuccessTests.anAnswerThatIsCutComesWithItsHead", "AnswerTests.aStatusCountsAlsoWhenItsBodyIsCut"]
        ),
        (
            [.http2], "HTTP/2 does not send headers as text",
            [
                "BrokenHeadTests.aLengthThatIsNoneMakesTheResponseUnusable",
                "BrokenHeadTests.equalDuplicateContentLengthsAreAccepted",
                "BrokenHeadTests.bodilessResponseIgnoresContentLength",
                "BrokenHeadTests.aHeadThatBreaksOffIsABrokenConnection",
                "BrokenHeadTests.aHeadThatLibcurlRefusesIsTheServersFault",
            ]
        ),
        (
            secure, "the test covers proxies of the caller's shell, which speak plain HTTP/1.1",
            ["CallersEnvironmentTests"]
        ),
        (
            secure, "the tests' proxies speak plain HTTP/1.1",
            ["BrokenHeadTests.refusedTunnelReportsProxyStatus", "ProxyFailureTests", "ProxyLoginTests"]
        ),
        ([.http1], "the servers speak TLS only", ownServers),
        ([.secureHTTP1], "the servers also offer HTTP/2, which the client prefers", ownServers),
        (
            secure, "the test covers plain HTTP", ["ConnectionTests.aResponseOfPlainHTTPIsNotWorthAWord"]
        ),
        (
            secure, "the test covers file types, and a download only creates a file", ["PartialPlaceTests"]
        ),
        (
            secure, "the examples trust the system's CA certificates only",
            ["ExampleTests", "LonghaulServiceTests.StormyTests"]
        ),
        (
            secure, "the test covers windows of apps that trust the system's CA certificates only", ["DesktopTests"]
        ),
        (
            secure, "the test covers app launches and notifications, for which a request only has to end",
            ["WakingByCommandTests", "WakingByBusTests", "NotifierTests", "RealNotificationTests"]
        ),
        (
            secure, "the test covers the tests' own servers, which other tests use over every transport",
            ["TestSupportTests"]
        ),
        (
            secure, "the test covers a thousand records, of which six use a server",
            ["SessionConformance.ManyTransfersTests"]
        ),
        (
            secure, "the test covers file systems, and the same threads write encrypted downloads",
            ["OtherFileSystemTests", "SharedVolumeTests"]
        ),
        (
            secure, "documented programs trust the system's CA certificates only", ["DocumentedProgramTests"]
        ),
        (
            secure, "the test covers resource shortages of an app", ["SessionConformance.ShortageTests"]
        ),
        (
            secure, "the test covers upgrades of the service; a download only keeps it busy", ["ProgramExchangeTests"]
        ),
        (
            secure, "the store does not depend on the transport", ["DamageTests"]
        ),
        (
            secure, "no server responds in the test",
            [
                "SessionConformance.EventTests.theWayToStartTheAppIsKeptWithTheSession",
                "SessionConformance.EventTests.eventsEndWithTheSession",
                "SessionConformance.EventTests.morePagesThanOneAreGivenInOrder",
                "LonelyHandoffTests.aSessionThatIsNotGivenAwayStandsStillAsWell",
                "ErrorLineTests.aResultThatCannotBeWrittenIsNoSuccess",
                "ErrorLineTests.aNameThatIsNotUTF8IsNoOtherName",
                "ErrorLineTests.removedWorkingDirectoryFailsDownload", "ErrorLineTests.anUnknownHost",
                "ErrorLineTests.aRefusedConnection", "ErrorLineTests.aBadURL", "ErrorLineTests.aMissingFile",
                "ErrorLineTests.aDirectoryThatCannotBeWritten", "ErrorLineTests.mistypedCommandsAreRejected",
                "DescriptorTests.limitBeyondDescriptorsIsRefused",
                "DescriptorTests.stoppingAServiceThatDoesNotAnswerIsNoSuccess",
                "DescriptorTests.programsThatTheServiceStartsGetTheUsualLimit",
                "BudgetAndRateTests.meaninglessArgumentsAreRefused",
            ]
        ),
        (
            [.secureHTTP1], "the test is slow, and its HTTP/2 run is also encrypted", ["Endurance.ReplacedFileTests"]
        ),
        (
            secure, "1 GiB is slow, and encrypted bodies take the same path at every size from 4 MiB",
            ["OneBodyTests.theServerGetsTheBodyOnce.1024 MiB"]
        ),
    ]

    private static let ownServers: Set<String> = [
        "TLSTests", "MultiplexTests", "ConnectionTests.exchangesThatBeginTogetherShareOneConnection",
        "ConnectionTests.http2ResponseReportsSharedConnections",
        "ConnectionTests.theNextConnectionTakesUpTheTLSSessionOfTheOneBefore",
        "ConnectionTests.cancelledWaiterEndsAndNextTakesOver",
    ]
}
