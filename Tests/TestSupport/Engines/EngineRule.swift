import LonghaulCore
import Testing

/// The rules of `ExchangeEngine`, which each engine and each model of one obeys. An engine that lacks a trait obeys the other half of a
/// rule: it never holds bytes back, or has no survivors.
package enum EngineRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case oneEndingWhichIsLast
    case cancelAtAnyTimeEndsOnce
    case unknownTicketsAreIgnored
    case bodySentComesOnceBeforeTheEnd
    case lastBytesWaitForRelease
    case progressNeverFalls
    case changedFileWaitsForRelease
    case bodyBesideLeavesOldFile
    case networkChangeEndsNothingTwice
    case shutDownSilences
    case survivorsOutliveTheProcess
    case unsettledEndIsRepeated
    case settledExchangeIsForgotten
    case droppedExchangeIsSilent
    case laterExchangeReplacesSurvivor
    case settlingEarlierKeepsLater

    package var testDescription: String { rawValue }

    /// Checks the rule on a new stage.
    package func check(_ stage: any EngineStage) throws {
        let trial = EngineTrial(stage)
        defer { trial.engine.shutDown() }
        switch self {
        case .oneEndingWhichIsLast: try trial.checkEndings()
        case .cancelAtAnyTimeEndsOnce: try trial.checkCancel()
        case .unknownTicketsAreIgnored: try trial.checkUnknownTickets()
        case .bodySentComesOnceBeforeTheEnd: try trial.checkBodySent()
        case .lastBytesWaitForRelease: try trial.checkLastBytes()
        case .progressNeverFalls: try trial.checkProgress()
        case .changedFileWaitsForRelease: try trial.checkChangedFile(beside: false)
        case .bodyBesideLeavesOldFile: try trial.checkChangedFile(beside: true)
        case .networkChangeEndsNothingTwice: try trial.checkNetworkChange()
        case .shutDownSilences: try trial.checkShutDown()
        case .survivorsOutliveTheProcess: try trial.checkSurvivors()
        case .unsettledEndIsRepeated: try trial.checkUnsettledEnd()
        case .settledExchangeIsForgotten: try trial.checkSettledEnd()
        case .droppedExchangeIsSilent: try trial.checkDrop()
        case .laterExchangeReplacesSurvivor: try trial.checkReplacedSurvivor()
        case .settlingEarlierKeepsLater: try trial.checkEarlierSettled()
        }
    }
}

// Exchanges of one process.
extension EngineTrial {
    fileprivate func checkEndings() throws {
        let all = try EngineExchange.allCases.map { try start($0) }
        for exchange in all {
            let outcome = try finish(exchange.ticket)
            #expect(outcome.ending == .responded && outcome.head?.isSuccess == true, "\(exchange.kind)")
            let whole = ExchangeOutcome.Disposition.written(length: stage.fileLength, isComplete: true)
            #expect(outcome.disposition == (exchange.plan.partialPath == nil ? .none : whole), "\(exchange.kind)")
            if let path = exchange.plan.partialPath { #expect(stage.length(of: path) == stage.fileLength) }
        }
        try passOneExchange()
        for exchange in all { expectOneEnding(exchange.ticket) }
    }

    private func expectOneEnding(_ ticket: Ticket) {
        #expect(count(ticket, \.isEnding) == 1)
        #expect(events(of: ticket).last?.isEnding == true)
    }

    fileprivate func checkCancel() throws {
        var tickets: [Ticket] = []
        for kind in EngineExchange.allCases {
            for steps in 0..<6 {
                let exchange = try start(kind)
                for _ in 0..<steps { stage.advance() }
                engine.cancel(exchange.ticket)
                engine.cancel(exchange.ticket)
                engine.release(exchange.ticket, .sendRest)
                try go("a cancelled exchange ends") { hasEnded(exchange.ticket) }
                engine.cancel(exchange.ticket)
                tickets.append(exchange.ticket)
                guard case .exchangeEnded(let outcome)? = events(of: exchange.ticket).last else { throw Unexpected() }
                // No response has arrived.
                if kind == .pendingUpload { #expect(outcome.ending == .cancelled) }
                #expect(outcome.ending == .cancelled || outcome.ending == .responded)
            }
        }
        try passOneExchange()
        for ticket in tickets { expectOneEnding(ticket) }
    }

    fileprivate func checkUnknownTickets() throws {
        let unknown = Ticket(999)
        engine.cancel(unknown)
        for decision: ReleaseDecision in [.sendRest, .writeFromStart, .writeBeside("/nowhere"), .openSegments] {
            engine.release(unknown, decision)
        }
        engine.setRateLimit(1, of: unknown)
        engine.setAllowance(1, of: unknown)
        engine.setConnections(2, of: unknown)
        engine.setYields(true, of: unknown)
        engine.recordSettled(unknown)
        #expect(engine.progress(of: unknown) == nil)
        try passOneExchange()
        #expect(events(of: unknown).isEmpty)
    }

    fileprivate func checkBodySent() throws {
        let exchange = try start(.pendingUpload)
        try go("the body is sent") { count(exchange.ticket) { $0 == .bodySent } > 0 }
        pass()
        #expect(!hasEnded(exchange.ticket))
        try finish(exchange.ticket)
        try passOneExchange()
        #expect(count(exchange.ticket) { $0 == .bodySent } == 1)
        expectOneEnding(exchange.ticket)
    }

    fileprivate func checkLastBytes() throws {
        let exchange = try start(.heldUpload)
        if engine.traits.holdsLastBytes {
            try go("the last bytes are held back") { count(exchange.ticket) { $0 == .lastBytesHeld } > 0 }
            engine.release(exchange.ticket, .writeFromStart)
            pass()
            #expect(!hasEnded(exchange.ticket))
        }
        #expect(try finish(exchange.ticket).ending == .responded)
        #expect(count(exchange.ticket) { $0 == .lastBytesHeld } == (engine.traits.holdsLastBytes ? 1 : 0))
    }

    fileprivate func checkProgress() throws {
        for kind in [EngineExchange.pendingUpload, .download] {
            let exchange = try start(kind)
            var last = ExchangeProgress(sent: 0, received: 0)
            func poll() -> Bool {
                guard let progress = engine.progress(of: exchange.ticket) else { return false }
                #expect(progress.sent >= last.sent && progress.received >= last.received)
                last = progress
                return true
            }
            if kind == .pendingUpload {
                try go("the body is sent") {
                    _ = poll()
                    return count(exchange.ticket) { $0 == .bodySent } > 0
                }
                #expect(poll() && last.sent == EngineExchange.bodyLength)
            }
            stage.answer()
            try go("it ends") {
                _ = poll()
                return hasEnded(exchange.ticket)
            }
            engine.recordSettled(exchange.ticket)
            #expect(engine.progress(of: exchange.ticket) == nil)
        }
    }

    fileprivate func checkChangedFile(beside: Bool) throws {
        let exchange = try start(.changedDownload)
        let path = try #require(exchange.plan.partialPath)
        func isHead(_ event: EngineEvent) -> Bool { if case .head = event { true } else { false } }
        func isReceiving(_ event: EngineEvent) -> Bool { if case .receiving = event { true } else { false } }
        try go("the new file is reported") { count(exchange.ticket, isHead) > 0 }
        engine.release(exchange.ticket, .sendRest)
        pass()
        #expect(!hasEnded(exchange.ticket) && count(exchange.ticket, isReceiving) == 0)
        #expect(stage.length(of: path) == stage.keptLength)
        engine.release(exchange.ticket, beside ? .writeBeside(path + "2") : .writeFromStart)
        try go("it ends") { hasEnded(exchange.ticket) }
        guard case .exchangeEnded(let outcome)? = events(of: exchange.ticket).last else { throw Unexpected() }
        #expect(outcome.disposition == .written(length: stage.fileLength, isComplete: true))
        #expect(count(exchange.ticket, isHead) == 1 && count(exchange.ticket, isReceiving) == 1)
        #expect(stage.length(of: path) == (beside ? stage.keptLength : stage.fileLength))
        if beside { #expect(stage.length(of: path + "2") == stage.fileLength) }
    }

    fileprivate func checkNetworkChange() throws {
        let exchange = try start(.pendingUpload)
        try go("the body is sent") { count(exchange.ticket) { $0 == .bodySent } > 0 }
        engine.reportNetworkChange()
        pass()
        #expect(try finish(exchange.ticket).ending == .responded)
        try passOneExchange()
        expectOneEnding(exchange.ticket)
    }

    fileprivate func checkShutDown() throws {
        for kind in EngineExchange.allCases {
            let exchange = try start(kind)
            if kind == .pendingUpload {
                stage.advance()
            } else {
                try go("it begins") { !events(of: exchange.ticket).isEmpty }
            }
        }
        engine.shutDown()
        let count = stage.events.count
        stage.answer()
        pass()
        engine.shutDown()
        #expect(stage.events.count == count)
    }
}

// Exchanges and the processes after the one that started them.
extension EngineTrial {
    /// Starts an upload, and ends the process while its response is pending.
    private func leavePendingUpload(named name: ExchangeID) throws {
        let exchange = try start(.pendingUpload, named: name)
        try go("the body is sent") { count(exchange.ticket) { $0 == .bodySent } > 0 }
        try stage.restart()
    }

    fileprivate func checkSurvivors() throws {
        try leavePendingUpload(named: Self.name(1))
        let found = try survivors()
        guard stage.outlivesProcess else { return #expect(found.isEmpty) }
        #expect(found.map(\.id) == [Self.name(1)])
        #expect(found.first?.condition == .carried(isBodySent: true))
        #expect(found.first?.bodyLength == EngineExchange.bodyLength)
        let ticket = newTicket()
        engine.adopt(Self.name(1), as: ticket)
        #expect(try finish(ticket).ending == .responded)
        try passOneExchange()
        expectOneEnding(ticket)
    }

    fileprivate func checkUnsettledEnd() throws {
        let first = try start(.pendingUpload, named: Self.name(1))
        let outcome = try finish(first.ticket)
        try stage.restart()
        let found = try survivors()
        guard engine.traits.outlivesProcess else { return #expect(found.isEmpty) }
        #expect(found.map(\.id) == [Self.name(1)])
        let ticket = newTicket()
        engine.adopt(Self.name(1), as: ticket)
        #expect(try finish(ticket) == outcome)
    }

    fileprivate func checkSettledEnd() throws {
        let exchange = try start(.pendingUpload, named: Self.name(1))
        try finish(exchange.ticket)
        engine.recordSettled(exchange.ticket)
        try passOneExchange()
        expectOneEnding(exchange.ticket)
        try stage.restart()
        #expect(try survivors().isEmpty)
    }

    fileprivate func checkDrop() throws {
        try leavePendingUpload(named: Self.name(1))
        let count = stage.events.count
        #expect(try survivors().count == (stage.outlivesProcess ? 1 : 0))
        engine.drop(Self.name(1))
        stage.answer()
        pass()
        #expect(stage.events.count == count)
        try passOneExchange()
        try stage.restart()
        #expect(try survivors().isEmpty)
    }

    fileprivate func checkReplacedSurvivor() throws {
        try leavePendingUpload(named: Self.name(1))
        _ = try survivors()
        let count = stage.events.count
        let later = try start(.pendingUpload, named: Self.name(1))
        // The survivor that no record wanted has been replaced.
        engine.drop(Self.name(1))
        #expect(try finish(later.ticket).ending == .responded)
        try passOneExchange()
        expectOneEnding(later.ticket)
        #expect(stage.events.dropFirst(count).allSatisfy { $0.ticket.number >= later.ticket.number })
    }

    fileprivate func checkEarlierSettled() throws {
        let first = try start(.pendingUpload, named: Self.name(1))
        engine.cancel(first.ticket)
        try go("it is cancelled") { hasEnded(first.ticket) }
        let later = try start(.pendingUpload, named: Self.name(1))
        engine.recordSettled(first.ticket)
        try go("the body is sent") { self.count(later.ticket) { $0 == .bodySent } > 0 }
        try stage.restart()
        #expect(try survivors().map(\.id) == (stage.outlivesProcess ? [Self.name(1)] : []))
    }
}
