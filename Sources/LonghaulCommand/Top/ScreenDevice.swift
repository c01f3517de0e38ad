import LonghaulCore
import LonghaulSystem

/// A terminal whose whole screen is drawn: the user's terminal, or a test script.
package struct ScreenDevice: Sendable {
    /// Input of the terminal, and changes of its state.
    package enum Event: Equatable, Sendable {
        case typed([UInt8])
        case resized
        /// A request to stop the program until it is continued.
        case suspend
        /// The program runs again, and the content of the screen is unknown.
        case continued
        case signal(Signal)
        /// The terminal was closed.
        case closed
    }

    package var events: AsyncStream<Event>
    package var size: @Sendable () -> Console.Size
    package var write: @Sendable ([UInt8]) -> Void
    /// Restores the terminal, stops the program until it is continued, and takes the terminal again.
    package var suspend: @Sendable () -> Void
    /// Takes the terminal again after the program was stopped without a request.
    package var retake: @Sendable () -> Void
    /// Restores the terminal.
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
    /// Selects the alternate screen, without cursor and without automatic line wrap.
    static let opening = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l".utf8)
    /// Restores the normal screen.
    static let ending = Array("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)

    /// How long the rest of a key may take that sends several characters.
    private static let restOfKey: Int32 = 100

    /// Takes the controlling terminal; `nil` if there is none.
    static func real() -> ScreenDevice? {
        guard let terminal = try? RawTerminal(), terminal.enterRawMode() else { return nil }
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let keys = try? NativeThread.started { read(terminal, continuation) }
        guard let keys else {
            terminal.giveBack()
            return nil
        }
        keys.detach()
        HandledSignals.follow(Array(signals.keys)) { number in
            if let event = signals[number] { continuation.yield(event) }
        }
        // A closed terminal cannot show an error.
        let write: @Sendable ([UInt8]) -> Void = { try? terminal.write($0) }
        let open: @Sendable () -> Void = {
            terminal.enterRawMode()
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

    /// Returns the default size for a terminal without a known one, and limits the size to the largest screen.
    private static func usable(_ size: (columns: Int, rows: Int)?) -> Console.Size {
        let (columns, rows) = (size?.columns ?? 0, size?.rows ?? 0)
        return Console.Size(columns: columns > 0 ? min(columns, 1_000) : 80, rows: rows > 0 ? min(rows, 500) : 24)
    }

    private static let signals: [Int32: Event] = [
        SignalNumber.interrupt: .signal(.interrupt), SignalNumber.terminate: .signal(.terminate),
        SignalNumber.hangUp: .signal(.hangUp), SignalNumber.resized: .resized, SignalNumber.suspend: .suspend,
        SignalNumber.continuation: .continued,
    ]

    /// Passes input on. A key's bytes are never split, unless the rest does not arrive in time.
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
