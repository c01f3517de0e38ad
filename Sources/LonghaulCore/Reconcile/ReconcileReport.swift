/// What a session found when it compared its records with what moves and with the files that are there.
package struct ReconcileReport: Equatable, Sendable {
    /// How many transfers were looked at.
    package var checked: Int
    /// What does not agree; what was repaired comes first, downloaded files that were moved away come last. At most `limit`.
    package var findings: [ReconcileFinding]
    /// How many more findings there were. The next report has them when these are mended.
    package var omitted: Int

    /// How many findings one report holds.
    package static let limit = 500

    /// Reports what was found.
    package init(checked: Int, findings: [ReconcileFinding] = [], omitted: Int = 0) {
        self.checked = checked
        self.findings = findings
        self.omitted = omitted
    }
}

/// One thing that does not agree with another.
public struct ReconcileFinding: Equatable, Sendable {
    /// What does not agree. The raw value is stable: cases are added, never renamed.
    public enum Code: String, Equatable, Sendable, CaseIterable {
        /// The record says that the transfer runs, and nothing moves.
        case runningWithoutTransfer
        /// Something moves that no record says should.
        case transferWithoutNeed
        /// The record tells of bytes, and the partial file is gone.
        case partialMissing
        /// The transfer is over, and its partial file is still there.
        case partialLeftOver
        /// A partial file that belongs to no transfer of this session.
        case partialForeign
        /// A partial file of this session in another directory than its own.
        case partialElsewhere
        /// The downloaded file is not where it was put.
        case fileMissing
        /// The downloaded file has another length than it had.
        case fileChanged
        /// The body that was kept for an upload is gone.
        case stagedMissing
        /// The upload is over, and the body that was kept for it is still there.
        case stagedLeftOver
        /// A kept body that no transfer names.
        case stagedForeign
    }

    /// What was done about it. Only what Longhaul itself made is ever deleted.
    public enum Repair: Int, Equatable, Sendable, CaseIterable {
        /// Nothing: it is the person's or the app's to decide, or mends itself.
        case none = 0
        /// The transfer goes on.
        case continued = 1
        /// The file is deleted.
        case deleted = 2
    }

    /// What does not agree.
    public var code: Code
    /// The transfer it is about; `nil` when none is known.
    public var transfer: TransferID?
    /// The file it is about.
    public var path: String?

    /// States a finding.
    package init(_ code: Code, transfer: TransferID? = nil, path: String? = nil) {
        self.code = code
        self.transfer = transfer
        self.path = path
    }

    /// What is done about it.
    public var repair: Repair {
        switch code {
        case .runningWithoutTransfer: .continued
        case .partialLeftOver, .stagedLeftOver, .stagedForeign: .deleted
        case .transferWithoutNeed, .partialMissing, .partialForeign, .partialElsewhere, .fileMissing, .fileChanged,
            .stagedMissing:
            .none
        }
    }

    /// What was found and what happens next, in a sentence or two for a person.
    public var message: String {
        let name = transfer.map { "Transfer \($0)" } ?? "A transfer"
        let file = path ?? "a file"
        return switch code {
        case .runningWithoutTransfer: "\(name) should run and did not. It goes on."
        case .transferWithoutNeed: "\(name) moves although it should not. Restart the service if it does not end."
        case .partialMissing:
            "\(name) had bytes in \(file), which is gone. It begins from the first byte when it runs again."
        case .partialLeftOver: "\(name) is over, and \(file) was left. It is deleted."
        case .partialForeign:
            "\(file) belongs to no transfer of this session. Delete it when no other session needs it."
        case .partialElsewhere:
            "\(file) is a partial file of \(transfer.map(String.init(describing:)) ?? "this session") in the wrong "
                + "directory. Move it back, or delete it."
        case .fileMissing: "\(name) put \(file) there; it was moved, renamed or deleted since."
        case .fileChanged: "\(name) put \(file) there; it has another length since."
        case .stagedMissing: "\(name) cannot send its body: \(file) is gone. Submit it again."
        case .stagedLeftOver: "\(name) is over, and its body \(file) was left. It is deleted."
        case .stagedForeign: "\(file) is a body that no transfer names. It is deleted."
        }
    }
}
