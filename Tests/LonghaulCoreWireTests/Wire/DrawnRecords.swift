import LonghaulCore

extension TransferFailure: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let number = chance.integer()
        let origins: [Origin] = [.longhaul, .curl(number), .status(number), .system(number), .sqlite(number)]
        var failure = TransferFailure(
            chance.one(of: FailureCode.allCases), chance.text(), serverMessage: chance.optional { $0.text() },
            advice: chance.optional { $0.text() }, origin: chance.one(of: origins))
        failure.certificate = chance.optional { .draw(&$0) }
        return failure
    }
}

extension ServerCertificate: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ServerCertificate(
            origin: chance.text(), subject: chance.text(), issuer: chance.text(), validFrom: chance.time(),
            validUntil: chance.time(), fingerprint: chance.text(), publicKey: chance.text())
    }
}

extension Waiting: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        Waiting(
            chance.choice(), since: chance.time(), until: chance.optional { $0.time() },
            retryAfter: chance.optional { $0.time() }, failure: chance.optional { .draw(&$0) })
    }
}

extension TransferState: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let states: [TransferState] = [
            .waiting(.draw(&chance)), .running(chance.choice()), .awaitingResponse, .paused, .succeeded,
            .failed(.draw(&chance)), .cancelled,
        ]
        return chance.one(of: states)
    }
}

extension Validators: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        Validators(
            entityTag: chance.optional { $0.text() }, lastModified: chance.optional { $0.text() },
            isSoft: chance.flag(), total: chance.optional { $0.length() })
    }
}

extension DownloadFacts: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var facts = DownloadFacts()
        facts.bootID = chance.optional { $0.text() }
        facts.digestMismatches = chance.count()
        facts.validators = chance.optional { .draw(&$0) }
        facts.effectiveURL = chance.optional { $0.text() }
        facts.suggestedName = chance.optional { $0.text() }
        facts.offeredDigests = chance.list { .draw(&$0) }
        facts.syncedLength = chance.length()
        facts.finished.path = chance.optional { $0.text() }
        facts.segments = chance.optional { .draw(&$0) }
        facts.mirrors = chance.optional { .draw(&$0) }
        facts.repairs = chance.count()
        facts.hasLookedAtOldFile = chance.flag()
        facts.foreign = chance.choice()
        facts.served.requestsOwnURL = chance.flag()
        facts.served.mediaType = chance.optional { $0.text() }
        facts.served.endsUnverified = chance.flag()
        facts.served.isIdentified = chance.flag()
        facts.files.usesSecond = chance.flag()
        facts.files.mayHaveOther = chance.flag()
        facts.files.kept = chance.optional { CopyOnWrite(.draw(&$0)) }
        facts.finished.refusals = chance.optional { $0.text() }
        facts.files.formerDirectories = chance.list { $0.text() }
        return facts
    }
}

extension KeptVersion: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var kept = KeptVersion(.draw(&chance))
        kept.effectiveURL = chance.optional { $0.text() }
        kept.suggestedName = chance.optional { $0.text() }
        kept.offeredDigests = chance.list { .draw(&$0) }
        kept.syncedLength = chance.length()
        kept.bootID = chance.optional { $0.text() }
        kept.segments = chance.optional { .draw(&$0) }
        kept.served.mediaType = chance.optional { $0.text() }
        kept.served.requestsOwnURL = chance.flag()
        kept.served.endsUnverified = chance.flag()
        kept.served.isIdentified = chance.flag()
        kept.bytes = chance.length()
        kept.source = chance.text()
        return kept
    }
}

extension MirrorTable: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var table = MirrorTable([])
        table.places = [.draw(&chance)] + chance.list { .draw(&$0) }
        table.current = chance.below(table.places.count)
        table.origin = chance.optional { $0.below(table.places.count) }
        return table
    }
}

extension MirrorTable.Place: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var place = MirrorTable.Place(url: chance.text())
        place.bytes = chance.number()
        place.rate = chance.optional { $0.number() }
        place.failures = chance.count()
        place.restsUntil = chance.optional { $0.time() }
        place.standing = chance.choice()
        place.failure = chance.optional { .draw(&$0) }
        return place
    }
}

extension MirrorReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        MirrorReport(
            url: chance.text(), bytes: chance.number(), rate: chance.optional { $0.number() },
            standing: chance.choice(), isAsked: chance.flag(), failure: chance.optional { .draw(&$0) })
    }
}

extension SegmentMap: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SegmentMap(
            chance.list { chance in
                let (first, second) = (chance.length(), chance.length())
                return min(first, second)..<max(first, second)
            })
    }
}

extension TusCapabilities: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TusCapabilities(
            extensions: Set(chance.list { $0.text() }), maxSize: chance.optional { $0.length() },
            creationURL: chance.text())
    }
}

extension UploadFacts: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var facts = UploadFacts()
        facts.uploadURL = chance.optional { $0.text() }
        facts.acknowledged = chance.length()
        facts.sentHighWater = chance.length()
        facts.stalls = chance.count()
        facts.refusedAt = chance.optional { $0.length() }
        facts.expires = chance.optional { $0.time() }
        facts.allBytesSent = chance.flag()
        facts.tus = chance.optional { .draw(&$0) }
        return facts
    }
}

extension ResponseSummary: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var response = ResponseSummary(
            status: chance.integer(), headers: chance.list { .draw(&$0) }, body: chance.bytes(),
            isTruncated: chance.flag())
        response.url = chance.text()
        response.location = chance.optional { $0.text() }
        return response
    }
}

extension TransferFacts: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var facts = TransferFacts(createdAt: chance.time(), deadline: chance.time())
        facts.startedAt = chance.optional { $0.time() }
        facts.endedAt = chance.optional { $0.time() }
        facts.lastProgressAt = chance.optional { $0.time() }
        facts.attempts = chance.count()
        facts.failuresInARow = chance.count()
        facts.failedLookups = chance.count()
        facts.restarts = chance.count()
        facts.progressMark = chance.length()
        facts.credentialRefusals = chance.count()
        facts.bytesDone = chance.length()
        facts.bytesTotal = chance.optional { $0.length() }
        facts.lastFailure = chance.optional { .draw(&$0) }
        facts.retryEnd = chance.optional { $0.choice() }
        facts.changes.rateLimit = chance.optional { $0.number() }
        facts.ignoresConditions = chance.flag()
        facts.startsAtOnce = chance.flag()
        facts.restartCounts.count = chance.count()
        facts.restartCounts.latest = chance.optional { $0.choice() }
        facts.changes.priority = chance.optional { $0.below(2_000_001) - 1_000_000 }
        facts.changes.submitted = chance.optional { chance in
            var request = SubmittedRequest(.draw(&chance))
            request.url = chance.text()
            request.directory = chance.optional { $0.text() }
            request.fileName = chance.optional { $0.text() }
            return CopyOnWrite(request)
        }
        facts.cleanup = Set(chance.list { $0.choice() })
        facts.download = .draw(&chance)
        facts.upload = .draw(&chance)
        facts.response = chance.optional { .draw(&$0) }
        return facts
    }
}
