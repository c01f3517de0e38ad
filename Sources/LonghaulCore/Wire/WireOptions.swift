extension TransferOptions: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&key, 1)
        try wire.choice(&keyConflict, 2)
        try wire.text(&group, 3)
        try wire.integer(&priority, 4)
        try wire.time(&earliestBeginDate, 5)
        try wire.always(&timeoutIntervalForResource, 6)
        try wire.span(&progressTimeout, 7)
        try wire.always(&retryLimit, 8)
        try wire.signed(&rateLimit, 9)
        try wire.text(&idempotencyKey, 10)
        try wire.always(&responseLimit, 11)
        try wire.text(&credential, 12)
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
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&proxy, 1)
        try wire.text(&noProxy, 2)
        try wire.text(&caFile, 3)
        try wire.flag(&allowsUntrustedServer, 4)
        try wire.always(&connectTimeout, 5)
        try wire.always(&timeoutIntervalForRequest, 6)
        try wire.text(&userAgent, 7)
        try wire.always(&redirectLimit, 8)
        try wire.choice(&http3, 9)
        try wire.message(&variables, 10)
        try wire.choice(&authentication, 11)
        try wire.message(&clientCertificate, 12)
        try wire.text(&pinnedPublicKeys, 13)
        try wire.text(&cookieFile, 14)
        try wire.text(&cookieJar, 15)
        try wire.flag(&keepsCookiesWithSession, 16)
        try wire.text(&proxyCAFile, 17)
        try wire.flag(&keepsHeaders, 18)
        var keys = trustedKeys.sorted { $0.key < $1.key }.map { TrustedKey(origin: $0.key, publicKey: $0.value) }
        try wire.messages(&keys, 19)
        if wire.isReading { for key in keys { trustedKeys[key.origin] = key.publicKey } }
        try wire.always(&timeoutIntervalForResponse, 20)
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
