extension TransferOptions: WireRecord {
    package static var blank: Self {
        var blank = Self()
        blank.timeoutIntervalForResource = .zero
        blank.retryLimit = 0
        blank.responseLimit = 0
        return blank
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&key, 1)
        try wire.choice(&keyConflict, 2)
        try wire.text(&group, 3)
        try wire.integer(&priority, 4)
        try wire.time(&earliestBeginDate, 5)
        try wire.span(&timeoutIntervalForResource, 6)
        try wire.span(&progressTimeout, 7)
        try wire.integer(&retryLimit, 8)
        try wire.signed(&rateLimit, 9)
        try wire.text(&idempotencyKey, 10)
        try wire.integer(&responseLimit, 11)
        try wire.name(&credential, 12)
        try wire.choice(&credentialKind, 13)
        try wire.flag(&wakesAppWhenFinished, 14)
        try wire.unlessBlank(&conditions, 15)
        try wire.choice(&notifications, 16)
        try wire.time(&joinsEqualBefore, 17)
        try wire.integer(&segments, 18)
        try wire.message(&predecessor, 19)
        try wire.flag(&followsFailure, 20)
        try wire.texts(&mirrors, 21)
        try wire.flag(&isAttended, 22)
        try wire.integer(&unknownHostRetryLimit, 23)
        try wire.time(&restartsEndedBefore, 24)
    }
}

extension NetworkOptions: WireRecord {
    package static var blank: Self {
        var blank = Self()
        blank.connectTimeout = .zero
        blank.timeoutIntervalForRequest = .zero
        blank.timeoutIntervalForResponse = .zero
        blank.redirectLimit = 0
        return blank
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&proxy, 1)
        try wire.text(&noProxy, 2)
        try wire.text(&caFile, 3)
        try wire.flag(&allowsUntrustedServer, 4)
        try wire.span(&connectTimeout, 5)
        try wire.span(&timeoutIntervalForRequest, 6)
        try wire.text(&userAgent, 7)
        try wire.integer(&redirectLimit, 8)
        try wire.choice(&http3, 9)
        try wire.message(&variables, 10)
        try wire.choice(&authentication, 11)
        try wire.message(&clientCertificate, 12)
        try wire.text(&pinnedPublicKeys, 13)
        try wire.text(&cookieFile, 14)
        try wire.text(&cookieJar, 15)
        try wire.flag(&keepsCookiesWithSession, 16)
        try wire.text(&proxyCAFile, 17)
        try wire.flag(&keepsHeads, 18)
        try wire.messages(&trustedKeys, 19)
        try wire.span(&timeoutIntervalForResponse, 20)
    }
}

extension ClientCertificate: WireRecord {
    package static var blank: Self { Self(certificate: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&certificate, 1)
        try wire.text(&key, 2)
        try wire.text(&password, 3)
    }
}

extension ProxyVariables: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&http, 1)
        try wire.text(&https, 2)
        try wire.text(&exceptions, 3)
    }
}
