import LonghaulCore

/// One transfer that was asked for on the command line or in an input list.
enum Order: Equatable, Sendable {
    /// `subject` names it in messages: what the person wrote.
    case transfer(TransferSpec, subject: String)
    /// What was written there cannot become a transfer.
    case refused(subject: String, TransferFailure)

    /// How many are submitted in one message.
    static let batchSize = 2_000
}

/// Where orders come from: it hands them over in portions, so that a long list is never held whole.
typealias OrderSource =
    @Sendable (
        _ deliver: @Sendable ([Order]) async throws(TransferFailure) -> Void
    ) async throws(TransferFailure) -> Void

extension [Order] {
    /// Makes the first transfers attended, `count` at most, and takes them off `count`.
    mutating func attend(_ count: inout Int) {
        for index in indices where count > 0 {
            guard case .transfer(var spec, let subject) = self[index] else { continue }
            spec.options.isAttended = true
            self[index] = .transfer(spec, subject: subject)
            count -= 1
        }
    }
}
