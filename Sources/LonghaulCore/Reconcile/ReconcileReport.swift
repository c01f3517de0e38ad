/// The differences between a session's records and its running exchanges and files.
package struct ReconcileReport: Equatable, Sendable {
    /// The number of transfers that were checked.
    package var checked: Int
    /// The findings: repaired ones first, moved downloads last. At most `limit`.
    package var findings: [ReconcileFinding]
    /// The number of omitted findings. The next report contains them when these are repaired.
    package var omitted: Int

    /// The maximum number of findings in one report.
    package static let limit = 500

    /// Initializes a report.
    package init(checked: Int, findings: [ReconcileFinding] = [], omitted: Int = 0) {
        self.checked = checked
        self.findings = findings
        self.omitted = omitted
    }
}

/// A difference between a record and the files or exchanges of a session.
public struct ReconcileFinding: Equatable, Sendable {
    /// The kinds of findings. Raw values are stable: cases are added, never renamed.
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        /// The record says that the transfer runs, but it is not active.
        case runningWithoutTransfer
        /// A transfer is active that no record lists as running.
        case transferWithoutNeed
        /// The record has bytes, but the partial file is missing.
        case partialMissing
        /// The transfer has ended, but its partial file still exists.
        case partialLeftOver
        /// A partial file that belongs to no transfer of this session.
        case partialForeign
        /// A partial file of this session in another directory than its own.
        case partialElsewhere
        /// The downloaded file is missing from its path.
        case fileMissing
        /// The downloaded file has a different length.
        case fileChanged
        /// The staged body of an upload is missing.
        case stagedMissing
        /// The upload has ended, but its staged body still exists.
        case stagedLeftOver
        /// A staged body that no transfer names.
        case stagedForeign
    }

    /// The repair of a finding. Longhaul deletes only its own files.
    package enum Repair: Equatable, Sendable, CaseIterable {
        /// None: the user or the app decides, or the difference resolves itself.
        case none
        /// The transfer resumed.
        case continued
        /// The file is deleted.
        case deleted
    }

    /// A stable word for the kind of the finding, such as `partialMissing`.
    public var code: String { kind.rawValue }
    package var kind: Kind
    /// The transfer, if it is known.
    public var transfer: TransferID?
    /// The path of the file.
    public var path: String?

    /// Initializes a finding.
    package init(_ kind: Kind, transfer: TransferID? = nil, path: String? = nil) {
        self.kind = kind
        self.transfer = transfer
        self.path = path
    }

    package var repair: Repair {
        switch kind {
        case .runningWithoutTransfer: .continued
        case .partialLeftOver, .stagedLeftOver, .stagedForeign: .deleted
        case .transferWithoutNeed, .partialMissing, .partialForeign, .partialElsewhere, .fileMissing, .fileChanged,
            .stagedMissing:
            .none
        }
    }

    /// The finding and its consequence, in one or two sentences for the user.
    public var message: String {
        let name = transfer.map { "Transfer \($0)" } ?? "A transfer"
        let file = path ?? "a file"
        return switch kind {
        case .runningWithoutTransfer: "\(name) should run and did not. It continues."
        case .transferWithoutNeed:
            "\(name) is active although it should not be. Restart the service if it does not stop."
        case .partialMissing:
            "The partial file \(file) of \(name) is missing. The transfer restarts from byte 0 when it runs again."
        case .partialLeftOver: "\(name) has ended, and its partial file \(file) was orphaned. The file is deleted."
        case .partialForeign:
            "The partial file \(file) belongs to no transfer of this session. Delete it if no other session needs it."
        case .partialElsewhere:
            "\(file) is a partial file of \(transfer.map(String.init(describing:)) ?? "this session") in the wrong "
                + "directory. Move it back, or delete it."
        case .fileMissing: "\(name) downloaded \(file), which has been moved, renamed, or deleted since."
        case .fileChanged: "\(name) downloaded \(file), whose length has changed since."
        case .stagedMissing: "\(name) cannot send its body: \(file) is missing. Submit the transfer again."
        case .stagedLeftOver: "\(name) has ended, and its staged body \(file) was orphaned. The file is deleted."
        case .stagedForeign: "The staged body \(file) belongs to no transfer. The file is deleted."
        }
    }
}
