import LonghaulCore
import LonghaulFiles
import LonghaulSystem
import Synchronization

/// A command of another thread for the network thread.
enum NetworkCommand: Sendable {
    case start(Ticket, ExchangePlan)
    case cancel(Ticket)
    case release(Ticket, ReleaseDecision)
    case setRateLimit(Int64?, Ticket)
    case setAllowance(Int64?, Ticket)
    case setYields(Bool, Ticket)
    case setConnections(Int, Ticket)
    /// The proxy was found for the server that an exchange connects to next.
    case proxyFound(Ticket, Result<FoundProxy, TransferFailure>)
    /// The certificate of an untrusted server; `nil` if it could not be read.
    case certificateSeen(Ticket, ServerCertificate?)
    /// The system resolver's answer about a host that libcurl could not look up.
    case nameLookedUp(Ticket, NameLookup)
    /// Links, addresses, or routes changed.
    case networkChanged
    /// The sync of a checkpoint returned: everything up to this length is on stable storage.
    case synced(Ticket, Result<Int64, TransferFailure>)
    /// The writer of this download has room again, or failed.
    case roomToWrite(Ticket)
    /// A partial file was written to its end and closed.
    case closed(Ticket, PartialFile.End)
    case stop
}

/// Commands for the network thread, in order, with a descriptor that is readable while there are any.
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
        // Only the first command wakes the thread, which clears the descriptor before it empties the list.
        if wasEmpty { wake() }
    }

    /// Starts another turn of the network thread's loop.
    func wake() { signal.raise() }

    func takeAll() -> [NetworkCommand] {
        // The wake-up of another post may have been cleared already, so only the list counts.
        signal.clear()
        return commands.withLock { commands in
            let taken = commands
            commands = []
            return taken
        }
    }
}
