import LonghaulCore
import LonghaulSystem

/// A terminal on which the whole screen is drawn. The person's terminal is one conformer of its closures, a script of the tests
/// another.
package struct ScreenDevice: Sendable {
    /// What comes from the terminal, and from those who have to do with it.
    package enum Event: Equatable, Sendable {
        case typed([UInt8])
        case resized
        /// Somebody asks the program to stop until it is continued.
        case suspend
        /// It runs again, and what is on the screen is not known.
        case continued
        case signal(Signal)
        /// The terminal is gone.
        case closed
    }

    package var events: AsyncStream<Event>
    package var size: @Sendable () -> Console.Size
    package var write: @Sendable ([UInt8]) -> Void
    /// Gives the terminal back, stops the program until it is continued, and takes the terminal again.
    package var suspend: @Sendable () -> Void
    /// Takes the terminal again after the program was stopped without being asked.
    package var retake: @Sendable () -> Void
    /// Gives the terminal back.
    package var close: @Sendable () -> Void

    package init(
        events: AsyncStream<Event>, size: @escaping @Sendable () -> Console.Size,
        write: @escaping @Sendable ([UInt8]) -> Void, suspend: @escaping @Sendable () -> Void,
        retake: @escaping @Sendable () -> Void, close: @escaping @Sendable () -> Void
    ) {
        self.events = events
        self.size = size
        self.write = write
        self.suspend = suspend
        self.retake = retake
        self.close = close
    }
}

extension ScreenDevice {
    /// The other screen of the terminal, without cursor, and without lines that wrap by themselves.
    static let opening = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l".utf8)
    /// The usual screen as it was.
    static let ending = Array("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)

    /// How long the rest of a key may take that comes as several characters.
    private static let restOfKey: Int32 = 100

    /// The controlling terminal, which is taken from now on; `nil` when there is none.
    static func real() -> ScreenDevice? {
        guard let terminal = try? RawTerminal(), terminal.take() else { return nil }
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let keys = try? NativeThread.started { read(terminal, continuation) }
        guard let keys else {
            terminal.giveBack()
            return nil
        }
        keys.letGo()
        HandledSignals.follow(Array(signals.keys)) { number in
            if let event = signals[number] { continuation.yield(event) }
        }
        // Nobody is left to tell.
        let write: @Sendable ([UInt8]) -> Void = { try? terminal.write($0) }
        let open: @Sendable () -> Void = {
            terminal.take()
            write(opening)
        }
        let close: @Sendable () -> Void = {
            write(ending)
            terminal.giveBack()
        }
        write(opening)
        return ScreenDevice(
            events: events,
            size: { usable(terminal.size) },
            write: write,
            suspend: {
                close()
                HandledSignals.suspendProcess()
                open()
            },
            retake: open, close: close)
    }

    /// A terminal that does not know its size has the usual one, and none is drawn beyond what a screen can have.
    private static func usable(_ size: (columns: Int, rows: Int)?) -> Console.Size {
        let (columns, rows) = (size?.columns ?? 0, size?.rows ?? 0)
        return Console.Size(columns: columns > 0 ? min(columns, 1_000) : 80, rows: rows > 0 ? min(rows, 500) : 24)
    }

    private static let signals: [Int32: Event] = [
        SignalNumber.interrupt: .signal(.interrupt), SignalNumber.terminate: .signal(.terminate),
        SignalNumber.hangUp: .signal(.hangUp), SignalNumber.resized: .resized, SignalNumber.suspend: .suspend,
        SignalNumber.goOn: .continued,
    ]

    /// What is typed, and never a part of a key, unless its rest does not come.
    private static func read(_ terminal: RawTerminal, _ continuation: AsyncStream<Event>.Continuation) {
        while var bytes = terminal.typed() {
            while TopKey.isUnfinished(bytes), let rest = terminal.typed(within: restOfKey), !rest.isEmpty {
                bytes += rest
            }
            continuation.yield(.typed(bytes))
        }
        continuation.yield(.closed)
    }
}
