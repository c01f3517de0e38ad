import LonghaulCore

/// What is known of notifications while the process lives.
struct NoticeDesk {
    var flights: [NotificationKey: NotificationPolicy.Flight] = [:]
    /// To be looked at again although nothing may have happened to them.
    var waiting: Set<NotificationKey> = []
    /// When that is.
    var lookAgainAt: WallTime?
    /// The app may be about to come back: nothing about transfers is shown before this.
    var heldUntil: WallTime?

    mutating func begin(_ order: NotificationOrder, at now: WallTime) {
        var flight = flights[order.key] ?? NotificationPolicy.Flight()
        switch order.act {
        case .post(let content, let headline, _):
            flight.isUnderWay = true
            flight.isHeld = false
            (flight.content, flight.headline, flight.at) = (content, headline, now)
        case .close:
            flight.isUnderWay = true
            flight.isHeld = false
            (flight.content, flight.headline) = (nil, nil)
        case .watch: break
        }
        flights[order.key] = flight
    }

    mutating func note(_ news: NotificationNews, of key: NotificationKey) {
        switch news {
        case .posted, .refused, .closed:
            flights[key]?.isUnderWay = false
            flights[key]?.isHeld = false
        case .held:
            flights[key]?.isUnderWay = false
            flights[key]?.isHeld = true
        case .gone, .seen, .invoked: break
        }
    }

    var lacksServer: Bool { flights.values.contains { $0.isHeld } }
}
