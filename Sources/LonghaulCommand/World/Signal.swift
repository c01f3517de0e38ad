import LonghaulSystem

/// The signals that an attached command handles.
package enum Signal: Equatable, Sendable {
    case interrupt
    case terminate
    case hangUp
    /// The terminal has another size.
    case resized

    private static let all = [
        SignalNumber.interrupt: Signal.interrupt, SignalNumber.terminate: .terminate, SignalNumber.hangUp: .hangUp,
        SignalNumber.resized: .resized,
    ]

    /// Takes over the signals for the rest of the process's life.
    package static func stream() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        HandledSignals.follow(Array(all.keys)) { number in
            if let signal = all[number] { continuation.yield(signal) }
        }
        return stream
    }
}
