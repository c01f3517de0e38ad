import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// What other threads ask of the network thread.
enum NetworkCommand: Sendable {
    case start(Ticket, ExchangePlan)
    case cancel(Ticket)
    case release(Ticket, ReleaseDecision)
    case setRateLimit(Int64?, Ticket)
    case setAllowance(Int64?, Ticket)
    case setYields(Bool, Ticket)
    case setConnections(Int, Ticket)
    /// The proxy is known that leads to the server which an exchange asks next.
    case proxyFound(Ticket, Result<FoundProxy, TransferFailure>)
    /// What a server showed that was not trusted; `nil` where that could not be read.
    case certificateSeen(Ticket, ServerCertificate?)
    /// What the system's resolver knows of a host that libcurl could not look up.
    case nameLookedUp(Ticket, NameLookup)
    /// Links, addresses, or routes have changed.
    case networkChanged
    /// A checkpoint's sync has returned: everything up to this length is on stable storage.
    case synced(Ticket, Result<Int64, TransferFailure>)
    /// The writer of this download has room again, or cannot go on.
    case roomToWrite(Ticket)
    /// A partial file has been written to its end and closed.
    case closed(Ticket, PartialFile.End)
    case stop
}

/// Commands for the network thread, in order, with a descriptor that becomes readable when there are some.
final class Mailbox: Sendable {
    private let signal: WakeSignal
    private let commands = Mutex<[NetworkCommand]>([])

    init() throws(TransferFailure) {
        signal = try .required()
    }

    var descriptor: Int32 { signal.descriptor.number }

    func post(_ command: NetworkCommand) {
        let wasEmpty = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        // Only the first command wakes: the reader empties the descriptor before it empties the list.
        if wasEmpty { wake() }
    }

    /// Makes the network thread begin another turn of its loop.
    func wake() { signal.raise() }

    func takeAll() -> [NetworkCommand] {
        // Another post's wake-up may have been taken already: the list is what counts.
        signal.clear()
        return commands.withLock { commands in
            let taken = commands
            commands = []
            return taken
        }
    }
}
