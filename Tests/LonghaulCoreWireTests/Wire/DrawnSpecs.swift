import LonghaulCore

extension TransferID: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        chance.kind == .minimal ? Self(high: 0, low: 0) : Self(high: chance.bits(), low: chance.bits())
    }
}

extension SessionID: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        chance.kind == .minimal ? .commandLine : SessionID("org.example.s\(chance.bits())") ?? .commandLine
    }
}

extension HeaderField: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let name = chance.one(of: ["Accept", "Cookie", chance.text()])
        if chance.flag() { return .omitting(name) }
        return HeaderField(name, chance.text(), isSecret: chance.flag())
    }
}

extension SourcePin: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SourcePin(
            size: chance.length(), modified: chance.number(), inode: UInt64(bitPattern: chance.number()),
            device: UInt64(bitPattern: chance.number()))
    }
}

extension SourceFile: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var source = SourceFile(path: chance.text(), pin: .draw(&chance), isStaged: chance.flag())
        if chance.flag() { source.origin = CopyOnWrite(.draw(&chance)) }
        source.mountPoint = chance.optional { $0.text() }
        return source
    }
}

extension SourceOrigin: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SourceOrigin(path: chance.text(), modified: chance.number())
    }
}

extension Digest: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        Digest(algorithm: chance.choice(), bytes: chance.bytes())
    }
}

extension PieceDigests: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        PieceDigests(algorithm: chance.choice(), length: chance.length(), digests: chance.bytes())
    }
}

extension DownloadSpec: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var spec = DownloadSpec(
            directory: chance.text(), fileName: chance.optional { $0.text() }, collision: chance.choice(),
            expectedDigest: chance.optional { .draw(&$0) })
        spec.creationMask = chance.optional { $0.integer() }
        spec.keepsRemoteTime = chance.flag()
        spec.expectedLength = chance.optional { $0.length() }
        spec.pieces = chance.optional { .draw(&$0) }
        spec.repairs = chance.flag()
        spec.unchangedSince = chance.optional { $0.time() }
        spec.range = chance.optional { .draw(&$0) }
        spec.signature = chance.optional { .draw(&$0) }
        spec.isFollowed = chance.flag()
        spec.foreign = chance.optional { .draw(&$0) }
        spec.existing = chance.optional { .draw(&$0) }
        spec.mountPoint = chance.optional { $0.text() }
        return spec
    }
}

extension ExistingFile: Drawable {
    static func draw(_ chance: inout Chance) -> Self { ExistingFile(size: chance.length(), test: chance.choice()) }
}

extension ForeignPartial: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ForeignPartial(file: .draw(&chance), begunAt: chance.optional { $0.time() })
    }
}

extension FilePart: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        FilePart(first: chance.number(), last: chance.optional { $0.number() })
    }
}

extension DetachedSignature: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        DetachedSignature(bytes: chance.bytes(), keyring: chance.text())
    }
}

extension MetadataPair: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        MetadataPair(key: chance.text(), value: chance.text())
    }
}

extension FormPart: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let contents: [Content] = [
            .text(chance.text()),
            .text(
                chance.text(), fileName: chance.optional { $0.text() }, contentType: chance.optional { $0.text() }),
            .file(.draw(&chance), fileName: chance.text(), contentType: chance.text()),
        ]
        return FormPart(name: chance.text(), content: chance.one(of: contents))
    }
}

extension UploadSpec: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(3) {
        case 0: .raw(.draw(&chance))
        case 1: .form(boundary: chance.text(), parts: chance.list { .draw(&$0) })
        default: .tus(.draw(&chance), metadata: chance.list { .draw(&$0) })
        }
    }
}

extension TransferOptions: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var options = TransferOptions()
        options.key = chance.optional { $0.text() }
        options.keyConflict = chance.choice()
        options.group = chance.text()
        options.priority = chance.integer()
        options.earliestBeginDate = chance.optional { $0.time() }
        options.timeoutIntervalForResource = chance.span()
        options.progressTimeout = chance.optional { $0.span() }
        options.retryLimit = chance.integer()
        options.rateLimit = chance.optional { $0.number() }
        options.idempotencyKey = chance.optional { $0.text() }
        options.responseLimit = chance.integer()
        options.credentialName = chance.optional { $0.credentialName() }
        options.credentialKind = chance.choice()
        options.wakesAppWhenFinished = chance.flag()
        options.conditions = .draw(&chance)
        options.notifications = chance.choice()
        options.joinsEqualBefore = chance.optional { $0.time() }
        options.restartsEndedBefore = chance.optional { $0.time() }
        options.segments = chance.optional { $0.integer() }
        options.mirrors = chance.list { $0.text() }
        options.isAttended = chance.flag()
        options.predecessor = chance.optional { .draw(&$0) }
        options.followsFailure = chance.flag()
        options.unknownHostRetryLimit = chance.optional { $0.integer() }
        return options
    }
}

extension ProxyVariables: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ProxyVariables(http: chance.text(), https: chance.text(), exceptions: chance.text())
    }
}

extension ClientCertificate: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ClientCertificate(certificate: chance.text(), key: chance.text(), password: chance.text())
    }
}

extension TrustedKey: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TrustedKey(origin: chance.text(), publicKey: chance.text())
    }
}

extension NetworkOptions: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var network = NetworkOptions()
        network.proxy = chance.text()
        network.noProxy = chance.text()
        network.caFile = chance.text()
        network.allowsUntrustedServer = chance.flag()
        network.connectTimeout = chance.span()
        network.timeoutIntervalForRequest = chance.span()
        network.timeoutIntervalForResponse = chance.span()
        network.userAgent = chance.text()
        network.redirectLimit = chance.integer()
        network.http3 = chance.choice()
        network.variables = chance.optional { .draw(&$0) }
        network.authentication = chance.choice()
        network.clientCertificate = chance.optional { .draw(&$0) }
        network.pinnedPublicKeys = chance.text()
        network.cookieFile = chance.text()
        network.cookieJar = chance.text()
        network.keepsCookiesWithSession = chance.flag()
        network.proxyCAFile = chance.text()
        network.keepsHeaders = chance.flag()
        for key: TrustedKey in chance.list({ .draw(&$0) }) { network.trustedKeys[key.origin] = key.publicKey }
        return network
    }
}

extension TransferSpec: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let works: [Work] = [.download(.draw(&chance)), .upload(.draw(&chance)), .request(body: chance.bytes())]
        return TransferSpec(
            work: chance.one(of: works), method: "A" + chance.text(), url: chance.text(),
            headers: chance.list { .draw(&$0) }, options: .draw(&chance), network: .draw(&chance))
    }
}
