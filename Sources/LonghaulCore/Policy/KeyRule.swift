/// The rule for a submission whose key belongs to another transfer of the session.
package enum KeyRule {
    package enum Verdict: Equatable, Sendable {
        /// The submission returns the existing transfer.
        case joins
        /// The existing transfer restarts, and the submission returns it.
        case restarts
        /// The new transfer gets the key after the existing one was cancelled or removed.
        case takes(after: ControlVerb?)
        /// Both transfers have the key.
        case shares
        case refuses(TransferFailure)
    }

    package static func decide(_ spec: TransferSpec, holder: TransferRecord) -> Verdict {
        switch spec.options.keyConflict {
        // The record is about to be deleted, and a submission needs a transfer that stays.
        case .keep where isAboutToGo(holder): .takes(after: nil)
        case .keep: decideKeeping(spec, holder)
        case .replace where spec.options.predecessor == holder.id:
            .refuses(TransferFailure(.keyTaken, "A transfer cannot start after the transfer whose key it takes."))
        case .replace: .takes(after: holder.state.isEnded ? nil : .cancel)
        case .append: .shares
        }
    }

    /// Returns whether the owner of the key is this submission, sent before its predecessor ended. Now it could not be
    /// accepted any more.
    package static func wasAccepted(_ spec: TransferSpec, holder: TransferRecord) -> Bool {
        spec.options.predecessor != nil && spec.options.keyConflict == .keep && !isAboutToGo(holder)
            && RequestDifference(spec, holder) == nil
    }

    private static func decideKeeping(_ spec: TransferSpec, _ holder: TransferRecord) -> Verdict {
        let startsAgain = startsAgain(holder, for: spec.options)
        switch RequestDifference(spec, holder) {
        case nil where !startsAgain: return .joins
        case nil: return canContinue(holder, for: spec) ? .restarts : .takes(after: .remove)
        // The failed transfer could never succeed.
        case .source where startsAgain: return .takes(after: .remove)
        case let difference?:
            return .refuses(
                TransferFailure(
                    .keyTaken,
                    "The key \"\(spec.options.key ?? "")\" belongs to transfer \(holder.id), which differs in the "
                        + "\(difference.words). Choose another key, or replace that transfer."))
        }
    }

    /// Returns whether the record is removed as soon as its cleanup is complete.
    private static func isAboutToGo(_ record: TransferRecord) -> Bool { record.facts.cleanup.contains(.record) }

    private static func startsAgain(_ holder: TransferRecord, for options: TransferOptions) -> Bool {
        switch holder.state {
        // A request that may have been processed is repeated only by an explicit retry.
        case .failed(let failure) where failure.code == .outcomeUnknown: false
        case .failed, .cancelled:
            options.restartsEndedBefore.map { holder.facts.endedAt ?? holder.facts.createdAt < $0 } ?? true
        case .waiting, .running, .awaitingResponse, .paused, .succeeded: false
        }
    }

    /// Returns whether the same transfer can restart. Otherwise a new one replaces it: its source has another inode,
    /// its staged body was deleted, it must wait for another transfer, or its files are still being removed.
    private static func canContinue(_ holder: TransferRecord, for spec: TransferSpec) -> Bool {
        guard holder.facts.cleanup.isEmpty, spec.options.predecessor == nil else { return false }
        if holder.state == .cancelled, holder.spec.sources.contains(where: \.isStaged) { return false }
        let sources = spec.sources.filter { !$0.isStaged }
        return holder.spec.sources.filter { !$0.isStaged }.elementsEqual(sources) {
            $0.path == $1.path && $0.isPinned(as: $1.pin)
        }
    }
}

/// The first difference between a submission and the transfer with its key. Headers do not count, because they may
/// contain renewed tokens.
private enum RequestDifference {
    case direction, url, method, body, directory, fileName, range
    /// The same files in another version.
    case source

    /// Creates the difference; `nil` if both request the same, as the transfer was submitted or as it was changed
    /// since.
    init?(_ spec: TransferSpec, _ holder: TransferRecord) {
        let submitted = holder.facts.changes.submitted?.value ?? SubmittedRequest(holder.spec)
        guard [submitted.url, holder.spec.url].contains(spec.url) else {
            self = .url
            return
        }
        switch (spec.work, holder.spec.work) {
        case (.download(let own), .download(let other)):
            guard [submitted.directory, other.directory].contains(own.directory) else {
                self = .directory
                return
            }
            guard [submitted.fileName, other.fileName].contains(own.fileName) else {
                self = .fileName
                return
            }
            guard own.range == other.range else {
                self = .range
                return
            }
            return nil
        case (.request(let own), .request(let other)):
            self.init(spec, holder.spec, hasEqualBody: own == other)
        case (.upload(.raw), .upload(.raw)):
            self.init(spec, holder.spec, hasEqualBody: true)
        case (.upload(.tus(_, let own)), .upload(.tus(_, let other))):
            self.init(spec, holder.spec, hasEqualBody: own == other)
        case (.upload(.form(_, let own)), .upload(.form(_, let other))):
            self.init(spec, holder.spec, hasEqualBody: own.map(\.withoutSource) == other.map(\.withoutSource))
        case (.download, _), (.upload, _), (.request, _):
            self = .direction
        }
    }

    private init?(_ spec: TransferSpec, _ other: TransferSpec, hasEqualBody: Bool) {
        let (own, others) = (spec.sources.map(\.version), other.sources.map(\.version))
        if spec.method != other.method {
            self = .method
        } else if !hasEqualBody || own.map(\.path) != others.map(\.path) {
            self = .body
        } else if own != others {
            self = .source
        } else {
            return nil
        }
    }

    var words: String {
        switch self {
        case .direction: "type of transfer"
        case .url: "URL"
        case .method: "method"
        case .body: "body"
        case .source: "version of its file"
        case .directory: "directory"
        case .fileName: "file name"
        case .range: "range"
        }
    }
}

private struct SourceVersion: Equatable {
    /// `nil` for a staged file: each copy of the same bytes has another path.
    var path: String?
    var size: Int64
    /// `nil` for a staged file.
    var modified: Int64?
}

extension SourceFile {
    /// The version without the inode and the device number, which a restored backup or a reboot may change.
    fileprivate var version: SourceVersion {
        if let origin = origin?.value {
            return SourceVersion(path: origin.path, size: pin.size, modified: origin.modified)
        }
        return isStaged
            ? SourceVersion(size: pin.size) : SourceVersion(path: path, size: pin.size, modified: pin.modified)
    }
}

extension FormPart {
    fileprivate var withoutSource: FormPart {
        guard case .file(_, let fileName, let contentType) = content else { return self }
        let source = SourceFile(path: "", pin: SourcePin(size: 0, modified: 0, inode: 0, device: 0))
        return FormPart(name: name, content: .file(source, fileName: fileName, contentType: contentType))
    }
}
