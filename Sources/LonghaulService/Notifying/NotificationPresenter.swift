import LonghaulBus
import LonghaulCore
import LonghaulSystem

/// Shown notifications with their sessions, and those that wait for a server. It belongs to the notifier's thread.
///
/// Without a bus or a server nothing is lost, and there is no polling of the server: the latest notification for each key waits until a
/// server takes its name on the bus. Attempts to connect to the bus become less frequent.
final class NotificationPresenter {
    private struct Entry {
        var sink: Notifier.Sink
        /// The number of the shown notification.
        var number: UInt32?
        /// The notification to show as soon as possible.
        var pending: (content: NotificationContent, headline: NotificationHeadline)?
    }

    private static let firstPause: Int64 = 5_000
    private static let longestPause: Int64 = 300_000

    private var server: NotificationServer?
    private var entries: [Notifier.Place: Entry] = [:]
    private var places: [UInt32: Notifier.Place] = [:]
    /// Activation tokens, each for the next click on its notification.
    private var tokens: [UInt32: String] = [:]
    private var pause = firstPause
    /// When waiting notifications are tried again, in monotonic milliseconds.
    private var triesAt: Int64?

    var descriptor: Int32? { server?.descriptor }
    var readiness: Readiness { server?.readiness ?? [] }

    /// -1 for never.
    var millisecondsToNextTry: Int32 {
        guard let triesAt else { return -1 }
        return Int32(clamping: max(0, triesAt - Self.now))
    }

    func perform(_ order: Notifier.Order) {
        // Earlier signals of the server come first: a click on a notification that is replaced now was for the old one.
        receiveSignals()
        var entry = entries[order.place] ?? Entry(sink: order.sink)
        entry.sink = order.sink
        switch order.act {
        case .post(let content, let headline, let replaced):
            entry.pending = (content, headline)
            entries[order.place] = entry
            // The session may know of a notification that another process showed.
            if entry.number == nil, let replaced, replaced.server == server?.identity {
                place(order.place, replaced.number)
            }
            show(order.place)
        case .close(let shown):
            entry.pending = nil
            entries[order.place] = entry
            if let number = entry.number ?? shown.flatMap({ $0.server == server?.identity ? $0.number : nil }) {
                server?.close(number)
            }
            forget(order.place)
            order.sink(.closed)
        case .watch(let shown):
            entries[order.place] = entry
            connect()
            guard shown.server == server?.identity else {
                forget(order.place)
                return order.sink(.gone)
            }
            place(order.place, shown.number)
        }
    }

    /// Handles the server's signals, and retries waiting notifications if it is time.
    func work() {
        receiveSignals()
        guard let triesAt, triesAt <= Self.now else { return }
        self.triesAt = nil
        showPending()
    }

    private func receiveSignals() {
        guard let server else { return }
        do throws(Bus.Refusal) {
            for signal in try server.takeSignals() { process(signal) }
        } catch {
            loseServer()
            self.server = nil
            if entries.values.contains(where: { $0.pending != nil }) { tryLater() }
        }
    }

    private func process(_ signal: NotificationServer.Signal) {
        switch signal {
        case .token(let number, let token): if places[number] != nil { tokens[number] = token }
        case .invoked(let number, let key):
            let token = tokens.removeValue(forKey: number) ?? ""
            guard let place = places[number], let action = NotificationAction(key: key) else { return }
            entries[place]?.sink(.invoked(action, activationToken: token))
        case .closed(let number):
            guard let place = places[number] else { return }
            let sink = entries[place]?.sink
            forget(place)
            sink?(.seen)
        case .owner:
            loseServer()
            if server?.identity != nil { showPending() }
        }
    }

    private func connect() {
        guard server == nil else { return }
        // A missing bus is not reported: most machines without a desktop have none.
        server = try? NotificationServer()
    }

    private func show(_ place: Notifier.Place) {
        guard let entry = entries[place], let pending = entry.pending else { return }
        connect()
        guard let server else { return hold(place) }
        do throws(Bus.Refusal) {
            let number = try server.show(pending.content, replacing: entry.number ?? 0)
            guard let identity = server.identity else { return hold(place) }
            entries[place]?.pending = nil
            self.place(place, number)
            pause = Self.firstPause
            entry.sink(.posted(pending.headline, number: number, server: identity))
        } catch {
            guard error.isVerdict else { return hold(place) }
            ServiceLog.notice(
                "notification refused", ["session": place.session.description, "error": error.name])
            forget(place)
            entry.sink(.refused(pending.headline))
        }
    }

    private func hold(_ place: Notifier.Place) {
        tryLater()
        entries[place]?.sink(.held)
    }

    private func showPending() {
        for place in entries.keys where entries[place]?.pending != nil { show(place) }
    }

    private func tryLater() {
        guard triesAt == nil else { return }
        triesAt = Self.now + pause
        pause = min(pause * 2, Self.longestPause)
    }

    /// Notifications disappear with their server.
    private func loseServer() {
        let lost = Array(places.values)
        places = [:]
        tokens = [:]
        for place in lost {
            entries[place]?.number = nil
            entries[place]?.sink(.gone)
            if entries[place]?.pending == nil { entries[place] = nil }
        }
    }

    private func place(_ place: Notifier.Place, _ number: UInt32) {
        if let former = entries[place]?.number, former != number { places[former] = nil }
        entries[place]?.number = number
        places[number] = place
    }

    private func forget(_ place: Notifier.Place) {
        if let number = entries[place]?.number {
            places[number] = nil
            tokens[number] = nil
        }
        entries[place] = nil
    }

    private static var now: Int64 { SystemClock.monotonic() / 1_000_000 }
}

extension Bus.Refusal {
    /// Whether the server itself refused, so that a retry does not help.
    fileprivate var isVerdict: Bool {
        let passing = [
            "ServiceUnknown", "NameHasNoOwner", "NoReply", "Timeout", "TimedOut", "Disconnected", "NoServer",
        ]
        let prefix = "org.freedesktop.DBus.Error."
        guard !name.isEmpty else { return false }
        guard name.hasPrefix(prefix) else { return true }
        let rest = name.dropFirst(prefix.count)
        return !rest.hasPrefix("Spawn.") && !passing.contains(String(rest))
    }
}
