extension TransferOptions: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(key, at: 1)
        writer.choice(keyConflict, at: 2)
        writer.text(group, at: 3)
        writer.integer(priority, at: 4)
        writer.time(earliestBeginDate, at: 5)
        writer.span(timeoutIntervalForResource, at: 6)
        writer.span(progressTimeout, at: 7)
        writer.integer(retryLimit, at: 8)
        writer.signed(rateLimit, at: 9)
        writer.text(idempotencyKey, at: 10)
        writer.integer(responseLimit, at: 11)
        writer.text(credential?.description, at: 40)
        writer.choice(credentialKind, at: 41)
        writer.flag(wakesAppWhenFinished, at: 45)
        if conditions != ConditionRules() { writer.message(conditions, at: 50) }
        writer.choice(notifications, at: 60)
        writer.time(joinsEqualBefore, at: 70)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        timeoutIntervalForResource = .zero
        retryLimit = 0
        responseLimit = 0
        while let field = try reader.nextField() {
            switch field {
            case 1: key = try reader.text()
            case 2: keyConflict = try reader.choice()
            case 3: group = try reader.text()
            case 4: priority = try reader.integer()
            case 5: earliestBeginDate = try reader.time()
            case 6: timeoutIntervalForResource = try reader.span()
            case 7: progressTimeout = try reader.span()
            case 8: retryLimit = try reader.integer()
            case 9: rateLimit = try reader.signed()
            case 10: idempotencyKey = try reader.text()
            case 11: responseLimit = try reader.integer()
            case 40: credential = try reader.credentialName()
            case 41: credentialKind = try reader.choice()
            case 45: wakesAppWhenFinished = try reader.flag()
            case 50: conditions = try reader.message()
            case 60: notifications = try reader.choice()
            case 70: joinsEqualBefore = try reader.time()
            default: try reader.skip()
            }
        }
    }
}

extension NetworkOptions: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(proxy, at: 1)
        writer.text(noProxy, at: 2)
        writer.text(caFile, at: 3)
        writer.flag(allowsUntrustedServer, at: 4)
        writer.span(connectTimeout, at: 5)
        writer.span(timeoutIntervalForRequest, at: 6)
        writer.text(userAgent, at: 7)
        writer.integer(redirectLimit, at: 8)
        writer.choice(http3, at: 9)
        writer.message(variables, at: 10)
        writer.choice(authentication, at: 20)
        writer.message(clientCertificate, at: 21)
        writer.text(pinnedPublicKeys, at: 22)
        writer.text(cookieFile, at: 23)
        writer.text(cookieJar, at: 24)
        writer.flag(keepsCookiesWithSession, at: 25)
        writer.text(proxyCAFile, at: 26)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        connectTimeout = .zero
        timeoutIntervalForRequest = .zero
        redirectLimit = 0
        while let field = try reader.nextField() {
            switch field {
            case 1: proxy = try reader.text()
            case 2: noProxy = try reader.text()
            case 3: caFile = try reader.text()
            case 4: allowsUntrustedServer = try reader.flag()
            case 5: connectTimeout = try reader.span()
            case 6: timeoutIntervalForRequest = try reader.span()
            case 7: userAgent = try reader.text()
            case 8: redirectLimit = try reader.integer()
            case 9: http3 = try reader.choice()
            case 10: variables = try reader.message()
            case 20: authentication = try reader.choice()
            case 21: clientCertificate = try reader.message()
            case 22: pinnedPublicKeys = try reader.text()
            case 23: cookieFile = try reader.text()
            case 24: cookieJar = try reader.text()
            case 25: keepsCookiesWithSession = try reader.flag()
            case 26: proxyCAFile = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension ClientCertificate: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(certificate, at: 1)
        writer.text(key, at: 2)
        writer.text(password, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(certificate: "")
        while let field = try reader.nextField() {
            switch field {
            case 1: certificate = try reader.text()
            case 2: key = try reader.text()
            case 3: password = try reader.text()
            default: try reader.skip()
            }
        }
    }
}

extension ProxyVariables: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.text(http, at: 1)
        writer.text(https, at: 2)
        writer.text(exceptions, at: 3)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: http = try reader.text()
            case 2: https = try reader.text()
            case 3: exceptions = try reader.text()
            default: try reader.skip()
            }
        }
    }
}
