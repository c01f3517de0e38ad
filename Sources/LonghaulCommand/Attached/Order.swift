import LonghaulCore

/// One transfer from the command line or an input list.
enum Order: Equatable, Sendable {
    /// `subject` names it in messages: the text that the user wrote.
    case transfer(TransferSpec, subject: String)
    /// The text cannot become a transfer.
    case refused(subject: String, TransferFailure)

    /// How many are submitted in one message.
    static let batchSize = 2_000
}

/// A source of orders in portions, so that a long list is never entirely in memory.
typealias OrderSource =
    @Sendable (
        _ deliver: @Sendable ([Order]) async throws(TransferFailure) -> Void
    ) async throws(TransferFailure) -> Void

extension [Order] {
    /// Marks the first transfers as attended, `count` at most, and subtracts them from `count`.
    mutating func attend(_ count: inout Int) {
        for index in indices where count > 0 {
            guard case .transfer(var spec, let subject) = self[index] else { continue }
            spec.options.isAttended = true
            self[index] = .transfer(spec, subject: subject)
            count -= 1
        }
    }
}
