/// How a transfer takes part in the queue, besides its priority. Stored, so that the queue is rebuilt from columns.
package enum TurnStanding: Int, Sendable {
    /// Its size is unknown.
    case usual = 0
    /// It is small: it gets overflow slots first.
    case small = 1
    /// It gets no overflow slot: a large upload, or a transfer that had one.
    case bulky = 2
    /// The user waits for it: it starts beyond default limits.
    case attended = 3
    /// The user started it by name: it starts beyond any limit. Never stored.
    case started = 4

    /// The maximum number of bytes of a small transfer.
    package static let smallSize: Int64 = 1 << 20

    /// Inlined, because a spec that is passed is copied.
    @inline(__always)
    init(_ spec: TransferSpec, bytesTotal: Int64?) {
        if spec.options.isAttended {
            self = .attended
            return
        }
        switch spec.work {
        case .request: self = .small
        case .upload:
            let size = spec.sources.reduce(0) { $0 + min($1.pin.size, Self.smallSize) }
            self = size < Self.smallSize ? .small : .bulky
        case .download(let download):
            let isSmall = (bytesTotal ?? download.expectedLength).map { $0 < Self.smallSize } ?? false
            self = isSmall ? .small : .usual
        }
    }

    /// Whether it starts beyond a limit.
    package var isPrompt: Bool { self == .attended || self == .started }
}

extension TransferRecord {
    package var standing: TurnStanding { TurnStanding(spec, bytesTotal: facts.bytesTotal) }
}
