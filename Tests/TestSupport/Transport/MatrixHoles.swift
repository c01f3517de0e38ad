/// Why a test does not run over a transport: the only place for that. What is not here runs over all of them.
enum MatrixHoles {
    static func reason(test name: String, transport: Transport) -> String? {
        table.first { $0.tests.contains(name) && $0.transports.contains(transport) }?.reason
    }

    private static let secure: Set<Transport> = [.secureHTTP1, .http2]

    private static let table: [(transports: Set<Transport>, reason: String, tests: Set<String>)] = [
        (
            secure, "nothing that is encrypted is taken from libcurl",
            [
                "TakeOverTests.aDownloadIsReceivedPastLibcurlFromAnyByte", "TakeOverTests.anUploadLeavesPastLibcurl",
                "LentFileTests.aFileThatChangesInTheSocketIsNoSuccess",
                "LentFileTests.aFileOfAFormThatChangesInTheSocketIsNoSuccess",
            ]
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
                "StreamFaultTests.moreThanTheServerAllowsAtOnceAllArrive", "StreamFaultTests.aTinyWindowIsHeeded",
            ]
        ),
        (
            [.http1, .secureHTTP1], "it is about servers that speak HTTP/2", ["HTTP2PeerTests.allArrive"]
        ),
        (
            [.http2], "libcurl gives nothing of a body whose length its frames contradict",
            ["EarlySuccessTests.anAnswerThatIsCutComesWithItsHead"]
        ),
        (
            [.http2], "it is about bytes of a head as HTTP/1.1 writes it",
            [
                "BrokenHeadTests.aLengthThatIsNoneMakesTheResponseUnusable",
                "BrokenHeadTests.aLengthThatIsSaidTwiceAlikeIsBelieved",
                "BrokenHeadTests.whereThereIsNoBodyNoLengthIsRead",
                "BrokenHeadTests.aHeadThatBreaksOffIsABrokenConnection",
                "BrokenHeadTests.aHeadThatLibcurlRefusesIsTheServersFault",
            ]
        ),
        (
            secure, "a proxy is spoken to over plain HTTP/1.1", ["BrokenHeadTests.aProxyThatRefusesTheTunnelSaysWhy"]
        ),
    ]
}
