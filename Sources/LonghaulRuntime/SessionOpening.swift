import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Opens a session's store and its loop, and replaces the loop if the store turns out to be damaged or missing.
struct SessionOpening {
    let directory: SessionDirectory
    let environment: RuntimeEnvironment
    let mailbox: Mailbox

    /// Moves the readable part of a damaged store to a new one first.
    func open() throws(TransferFailure) -> SessionLoop {
        let place = TrapPlace(directory.layout.traps)
        defer { place.end() }
        let store = try openStore()
        do throws(TransferFailure) {
            return try start(store)
        } catch {
            guard error.code == .storeDamaged else { throw error }
            return try reopen(after: error, of: store)
        }
    }

    /// Returns the loop that replaces one whose store was damaged or deleted. Clients' inputs were kept meanwhile.
    func replace(_ old: SessionLoop, because trouble: TransferFailure) throws(TransferFailure) -> SessionLoop {
        if old.health.isExchanged {
            // An earlier attempt got this far.
        } else if trouble.code == .storeDamaged {
            old.state.store.abandon()
            if try !Store.finishSalvage(path: directory.layout.store) {
                _ = try Store.salvage(
                    path: directory.layout.store, because: trouble, remembered: old.state.remembered,
                    now: environment.now())
            }
        } else {
            try directory.restore()
            try old.state.store.writeAnew(now: environment.now())
        }
        old.health.isExchanged = true
        let store = try Store(path: directory.layout.store, anchors: environment.anchors)
        return try start(store) { loop in loop.inherit(from: old) }
    }

    private func openStore() throws(TransferFailure) -> Store {
        do throws(TransferFailure) {
            return try Store(path: directory.layout.store, anchors: environment.anchors)
        } catch {
            guard error.code == .storeDamaged else { throw error }
            _ = try Store.salvage(path: directory.layout.store, because: error, now: environment.now())
            return try Store(path: directory.layout.store, anchors: environment.anchors)
        }
    }

    private func reopen(after damage: TransferFailure, of store: Store) throws(TransferFailure) -> SessionLoop {
        store.abandon()
        _ = try Store.salvage(path: directory.layout.store, because: damage, now: environment.now())
        return try start(Store(path: directory.layout.store, anchors: environment.anchors))
    }

    private func start(
        _ store: Store, prepare: (SessionLoop) -> Void = { _ in }
    ) throws(TransferFailure) -> SessionLoop {
        let loop = try SessionLoop(directory: directory, store: store, environment: environment)
        loop.state.engine = try environment.makeEngine(directory.layout) { [mailbox] events in
            mailbox.put(events.map { LoopInput.engine($0.0, $0.1) })
        }
        if loop.state.engine?.exchanges.traits.outlivesProcess ?? false {
            loop.state.session.conditions.delegate(to: .begun)
        }
        loop.outlets.post = { [mailbox] in mailbox.put([$0]) }
        if let wake = environment.wake {
            loop.outlets.startWake = { [mailbox] order in wake(order) { report in mailbox.put([.wakeEnded(report)]) } }
        }
        if let notify = environment.notify, let session = directory.layout.session {
            loop.outlets.startNotification = { [mailbox] order in
                notify(session, order) { news in mailbox.put([.notification(order.key, news)]) }
            }
        }
        prepare(loop)
        do throws(TransferFailure) {
            try loop.recover()
            if let damage = loop.health.trouble { throw damage }
        } catch {
            loop.state.engine?.shutDown()
            loop.state.engine = nil
            throw error
        }
        return loop
    }
}
