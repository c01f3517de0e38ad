import LonghaulCore

extension TransferSnapshot: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var snapshot = TransferSnapshot(
            id: .draw(&chance), sequence: chance.number(), key: chance.optional { $0.text() }, group: chance.text(),
            direction: chance.choice(), method: chance.text(), url: chance.text(), name: chance.text(),
            path: chance.optional { $0.text() }, state: .draw(&chance), turnLimit: chance.optional { $0.choice() },
            priority: chance.integer(), bytesDone: chance.number(), bytesTotal: chance.optional { $0.number() },
            rate: chance.number(), attempts: chance.integer(), createdAt: chance.time(),
            startedAt: chance.optional { $0.time() }, endedAt: chance.optional { $0.time() },
            status: chance.optional { $0.integer() })
        snapshot.restartCounts = chance.integer()
        snapshot.restartReason = chance.optional { $0.choice() }
        snapshot.isLengthUnverified = chance.flag()
        snapshot.resultURL = chance.optional { $0.text() }
        snapshot.mirrorURL = chance.optional { $0.text() }
        snapshot.rejectedURL = chance.optional { $0.text() }
        snapshot.losesBytesWhenStopped = chance.flag()
        snapshot.predecessor = chance.optional { .draw(&$0) }
        snapshot.followsFailure = chance.flag()
        snapshot.turnLimitCount = chance.optional { $0.integer() }
        snapshot.attemptsLeft = chance.optional { $0.integer() }
        return snapshot
    }
}

extension HistoryEntry: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        HistoryEntry(
            number: chance.number(), at: chance.time(), event: chance.text(), detail: chance.text(),
            bytesDone: chance.number())
    }
}

extension TransferDetail: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var detail = TransferDetail(
            snapshot: .draw(&chance), headers: chance.list { .draw(&$0) },
            response: chance.optional { .draw(&$0) }, lastFailure: chance.optional { .draw(&$0) },
            restarts: chance.integer(), options: .draw(&chance), ignoresConditions: chance.flag())
        detail.mirrors = chance.list { .draw(&$0) }
        detail.notRetriedBecause = chance.optional { $0.choice() }
        detail.connections = chance.optional { ConnectionReport(count: $0.integer(), reason: $0.choice()) }
        detail.bytesKept = chance.length()
        return detail
    }
}

extension TransferSelection: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let selections: [TransferSelection] = [.ids(chance.list { .draw(&$0) }), .group(chance.text()), .all]
        return chance.one(of: selections)
    }
}

extension ListQuery: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ListQuery(
            selection: .draw(&chance), ended: chance.optional { $0.flag() }, key: chance.optional { $0.text() },
            afterSequence: chance.number(), limit: chance.integer(), wantsRate: chance.flag())
    }
}

extension SessionLimits: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let groups = Set(chance.list { $0.text() })
        return SessionLimits(
            total: chance.optional { $0.integer() }, perHost: chance.optional { $0.integer() },
            streams: chance.optional { $0.integer() },
            perGroup: Dictionary(uniqueKeysWithValues: groups.sorted().map { ($0, chance.integer()) }))
    }
}

extension SessionTotals: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var totals = SessionTotals()
        totals.waiting = chance.integer()
        totals.running = chance.integer()
        totals.paused = chance.integer()
        totals.succeeded = chance.integer()
        totals.failed = chance.integer()
        totals.cancelled = chance.integer()
        return totals
    }
}

extension ListPage: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ListPage(
            transfers: chance.list { .draw(&$0) }, hasMore: chance.flag(), totals: .draw(&chance), rate: chance.number()
        )
    }
}

extension WatchUpdate: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        WatchUpdate(
            changed: chance.list { .draw(&$0) }, removed: chance.list { .draw(&$0) },
            succeeded: chance.list { chance in
                WatchUpdate.Success(id: .draw(&chance), path: chance.flag() ? "/out/a" : nil)
            }, beginsList: chance.flag(), completesList: chance.flag())
    }
}

extension SubmissionAnswer: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(3) {
        case 0: .accepted(.draw(&chance))
        case 1: .existing(.draw(&chance))
        default: .refused(.draw(&chance))
        }
    }
}

extension ControlAnswer: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ControlAnswer(
            changed: chance.integer(),
            refusals: chance.list { Refusal(id: .draw(&$0), failure: .draw(&$0)) })
    }
}

extension ReconcileFinding: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ReconcileFinding(
            chance.one(of: Kind.allCases), transfer: chance.optional { .draw(&$0) }, path: chance.optional { $0.text() }
        )
    }
}

extension ReconcileReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ReconcileReport(checked: chance.integer(), findings: chance.list { .draw(&$0) }, omitted: chance.integer())
    }
}

extension SessionOwner: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SessionOwner(
            kind: chance.choice(), processID: chance.integer(), bootID: chance.text(), openedAt: chance.time(),
            endedAt: chance.optional { $0.time() })
    }
}

extension OwnerLossReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        OwnerLossReport(
            processID: chance.integer(), openedAt: chance.time(), noticedAt: chance.time(), reason: chance.choice(),
            policy: chance.choice(), transfers: chance.integer())
    }
}

extension LastWill: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        LastWill(request: .draw(&chance), witness: chance.text())
    }
}

extension LastWillOrder: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        chance.flag() ? .keep(.draw(&chance)) : .takeBack(witness: chance.text())
    }
}

extension SessionInfo: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var info = SessionInfo()
        info.owner = chance.optional { .draw(&$0) }
        info.ownerLossPolicy = chance.choice()
        info.ownerLoss = chance.optional { .draw(&$0) }
        info.lastWills = chance.integer()
        return info
    }
}

extension SessionCommand: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(34) {
        case 33: .trust(.draw(&chance), .draw(&chance))
        case 32: .lastWill(.draw(&chance))
        case 31: .totals
        case 30: .acknowledgeDamage
        case 27: .adjust(.draw(&chance), .draw(&chance))
        case 28: .setRules(.draw(&chance))
        case 29: .rules
        case 14: .submitTask(.draw(&chance))
        case 15: .cancelTask(chance.text())
        case 16: .cancelAllTasks
        case 17: .tasks(after: chance.optional { $0.text() })
        case 18: .forceTask(chance.text())
        case 19: .taskReturned(.draw(&chance))
        case 20: .setTaskSettings(.draw(&chance))
        case 22: .provideCredential(chance.credentialName(), url: chance.text(), .draw(&chance))
        case 23: .setCredentialHelper(chance.list { $0.text() })
        case 24: .credentials
        case 25: .replaceURL(.draw(&chance), url: chance.text(), headers: chance.optional { $0.list { .draw(&$0) } })
        case 26: .notifications(.draw(&chance))
        case 10: .events(after: chance.number())
        case 11: .acknowledgeEvents(through: chance.number())
        case 12: .setWake(chance.optional { .draw(&$0) })
        case 13: .wakeStatus
        case 7: .info
        case 8: .setOwnerLossPolicy(chance.choice())
        case 9: .acknowledgeOwnerLoss
        case 0: .submit(chance.list { .draw(&$0) })
        case 1: .control(chance.choice(), .draw(&chance))
        case 2: .list(.draw(&chance))
        case 3: .show(.draw(&chance))
        case 4: .history(.draw(&chance))
        case 5: .setLimits(.draw(&chance))
        case 6: .limits
        default: .reconcile
        }
    }
}

extension SessionReply: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(17) {
        case 16: .totals(.draw(&chance))
        case 14: .rules(.draw(&chance))
        case 10: .tasks(.draw(&chance))
        case 11: .taskDone
        case 12: .credentials(.draw(&chance))
        case 13: .notifications(.draw(&chance))
        case 8: .events(.draw(&chance))
        case 9: .wake(.draw(&chance))
        case 7: .info(.draw(&chance))
        case 0: .submitted(chance.list { .draw(&$0) })
        case 1: .controlled(.draw(&chance))
        case 2: .page(.draw(&chance))
        case 3: .detail(.draw(&chance))
        case 4: .history(chance.list { .draw(&$0) })
        case 5: .limits(.draw(&chance))
        case 6: .failed(.draw(&chance))
        default: .reconciled(.draw(&chance))
        }
    }
}
