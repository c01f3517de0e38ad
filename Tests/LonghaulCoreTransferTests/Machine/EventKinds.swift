@testable import LonghaulCore

extension TransferEvent {
    /// The cases without their payloads: a test with random events compares its events with all of them.
    enum Kind: CaseIterable {
        case command, turnGranted, due, deadlinePassed, starved, networkReturned, clockChanged, clockMoved,
            storeReturned, withheld,
            allowed,
            adjusted
        case credentialsMissing, credentialsUnavailable, credentialsGiven, replaced, urlGiven, recovered, engine
        case survived, vanished, relocated, cleaned, leftoverFound, predecessorEnded
    }

    var kind: Kind {
        switch self {
        case .command: .command
        case .turnGranted: .turnGranted
        case .due: .due
        case .deadlinePassed: .deadlinePassed
        case .starved: .starved
        case .networkReturned: .networkReturned
        case .clockChanged: .clockChanged
        case .clockMoved: .clockMoved
        case .storeReturned: .storeReturned
        case .withheld: .withheld
        case .allowed: .allowed
        case .adjusted: .adjusted
        case .credentialsMissing: .credentialsMissing
        case .credentialsUnavailable: .credentialsUnavailable
        case .credentialsGiven: .credentialsGiven
        case .replaced: .replaced
        case .urlGiven: .urlGiven
        case .recovered: .recovered
        case .survived: .survived
        case .vanished: .vanished
        case .relocated: .relocated
        case .engine: .engine
        case .cleaned: .cleaned
        case .leftoverFound: .leftoverFound
        case .predecessorEnded: .predecessorEnded
        }
    }
}
