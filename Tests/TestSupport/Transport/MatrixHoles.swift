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
            secure, "nothing that is encrypted is taken from libcurl",
            [
                "TakeOverTests.aDownloadIsReceivedPastLibcurlFromAnyByte", "TakeOverTests.anUploadLeavesPastLibcurl",
                "LentFileTests.changeOfLentFileFailsTheUpload", "LentFileTests.changeOfLentFormFileFailsTheUpload",
            ]
        ),
        (
            secure, "a scenario of an app does not depend on the transport", ["LinuxConformanceTests"]
        ),
        (
            secure, "a public host of a document is replaced by one server in the clear", ["DocumentedRunTests"]
        ),
        (
            [.http1], "certificates and keys are TLS",
            [
                "IdentityTests.clientCertificateIsPresented",
                "IdentityTests.connectionIsReusedOnlyWithItsKeyAndPassword", "IdentityTests.tokenPINStaysOutOfTheLog",
                "IdentityTests.aPinnedKeyIsTheOnlyOne",
                "TrustTests.aKeyIsAcceptedForOneServerByWhoSawIt",
                "SessionConformance.AcceptedKeyTests.trustingReportedCertificateAllowsDownload",
            ]
        ),
        (
            secure, "a file gets its name after its connection has ended",
            ["FileSystemTests.refusedOperationsLoseNothing", "FileSystemTests.aTakenNameGivesWay"]
        ),
        (
            secure, "a proxy script is asked before there is any connection",
            ["FoundProxyTests.brokenProxyScriptIsReported", "FoundProxyTests.unreadableProxyScriptIsReported"]
        ),
        (
            secure, "proxy scripts are fetched with the system's authorities alone",
            ["FoundProxyTests.fetchedScriptAllowsDirectConnection"]
        ),
        (
            secure, "it is about names and links, which come before TLS", ["NameServerTests", "LinkStateTests"]
        ),
        (
            [.http1, .http2], "its certificate is rejected before HTTP begins",
            ["ClockCertificateTests", "RejectedCertificateTests"]
        ),
        (
            [.http2], "it is about bytes of a head as HTTP/1.1 writes it",
            [
                "ResponseHeadTests.fieldsAreReadAsTheyWereMeant",
                "ResponseHeadTests.bytesThatAreNotUTF8AreReadAsLatin1",
                "ResponseHeadTests.trailersAreNotFields",
            ]
        ),
        (
            [.http2], "a window keeps with the sender what the server does not read",
            ["LentFileTests.aFileThatIsReplacedArrivesAsItWas"]
        ),
        (
            [.http2], "no leave is asked for: a window says how much may come",
            ["UploadTests.aRefusalInsteadOf100SendsNoBody", "UploadTests.anUnknownExpectationIsDroppedAndTheBodySent"]
        ),
        (
            secure, "the example trusts the system's authorities alone",
            [
                "PythonExampleTests.exampleDownloadsWatchesPausesAndResumes",
                "PythonExampleTests.exampleHasAtMostOneHundredLines",
            ]
        ),
        (
            secure, "it makes no connection to a server",
            [
                "FailureTests.aRefusedConnection", "FailureTests.aNameThatIsNowhere",
                "FailureTests.aURLOfAnotherScheme",
                "FailureTests.aProxyThatIsNotThere", "FailureTests.aFieldThatBreaksOut",
                "LifeTests.anUnusedEngineEndsAtOnce",
            ]
        ),
        (
            [.http1, .secureHTTP1], "it is about streams that share a connection",
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
            [.http1, .secureHTTP1], "it is about servers that speak HTTP/2", ["HTTP2PeerTests.allArrive"]
        ),
        (
            [.http2], "what makes room for others asks for HTTP/1.1, which this server does not speak beside HTTP/2",
            ["YieldingTests"]
        ),
        (
            [.http2], "it is about bytes between responses, which HTTP/2 has in frames of their streams",
            ["LibcurlFaultTests.strayResponseAnswersNoRequest"]
        ),
        (
            [.http2], "libcurl gives nothing of a body whose length its frames contradict",
            ["EarlySuccessTests.anAnswerThatIsCutComesWithItsHead", "AnswerTests.aStatusCountsAlsoWhenItsBodyIsCut"]
        ),
        (
            [.http2], "it is about bytes of a head as HTTP/1.1 writes it",
            [
                "BrokenHeadTests.aLengthThatIsNoneMakesTheResponseUnusable",
                "BrokenHeadTests.equalDuplicateContentLengthsAreAccepted",
                "BrokenHeadTests.bodilessResponseIgnoresContentLength",
                "BrokenHeadTests.aHeadThatBreaksOffIsABrokenConnection",
                "BrokenHeadTests.aHeadThatLibcurlRefusesIsTheServersFault",
            ]
        ),
        (
            secure, "it is about the shell of whoever asks; a proxy is spoken to over plain HTTP/1.1",
            ["CallersEnvironmentTests"]
        ),
        (
            secure, "a proxy is spoken to over plain HTTP/1.1",
            ["BrokenHeadTests.refusedTunnelReportsProxyStatus", "ProxyFailureTests", "ProxyLoginTests"]
        ),
        ([.http1], "its servers speak TLS alone", ownServers),
        ([.secureHTTP1], "its servers offer HTTP/2 as well, which is taken", ownServers),
        (
            secure, "it is about what comes in the clear", ["ConnectionTests.aResponseOfPlainHTTPIsNotWorthAWord"]
        ),
        (
            secure, "it is about files: one download only makes one", ["PartialPlaceTests"]
        ),
        (
            secure, "the examples trust what their system trusts: they have no way to name an authority of tests",
            ["ExampleTests", "LonghaulServiceTests.StormyTests"]
        ),
        (
            secure, "it is about what is seen in windows, by apps that trust what their system trusts", ["DesktopTests"]
        ),
        (
            secure, "it is about who is started and what is shown: a request only ends for that",
            ["WakingByCommandTests", "WakingByBusTests", "NotifierTests", "RealNotificationTests"]
        ),
        (
            secure, "it tests the tests' own servers, which the product's tests use over every transport",
            ["TestSupportTests"]
        ),
        (
            secure, "it is about a thousand records, of which six ask a server",
            ["SessionConformance.ManyTransfersTests"]
        ),
        (
            secure, "it is about a file system, to which the same threads write what was encrypted",
            ["OtherFileSystemTests", "SharedVolumeTests"]
        ),
        (
            secure, "a program of the documents trusts the system's authorities alone", ["DocumentedProgramTests"]
        ),
        (
            secure, "it is about what an app lacks, at whatever step", ["SessionConformance.ShortageTests"]
        ),
        (
            secure, "it is about the program of a service: a download only keeps it busy", ["ProgramExchangeTests"]
        ),
        (
            secure, "it is about a store, which knows no transports", ["DamageTests"]
        ),
        (
            secure, "it makes no connection to a server that answers",
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
            [.secureHTTP1], "it takes its time, and HTTP/2 is encrypted as well", ["Endurance.ReplacedFileTests"]
        ),
        (
            secure, "a gibibyte takes its time, and what is encrypted takes one path at every size from 4 MiB on",
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
