package import LonghaulCore
import LonghaulIPC

/// Transfers that were sent to the service but may not be on disk yet.
package struct PendingSubmission: Sendable {
    /// Waits until all of them are on disk; must be called once. Fails as `ServiceConnection.submit` does.
    package let answers: @Sendable () async throws(TransferFailure) -> [SubmissionAnswer]

    package init(answers: @escaping @Sendable () async throws(TransferFailure) -> [SubmissionAnswer]) {
        self.answers = answers
    }
}

extension ServiceConnection {
    /// Sends transfers without waiting for the answers. Transfers are submitted in the order in which they are sent.
    package func send(_ transfers: [TransferSpec], to session: SessionID) -> PendingSubmission {
        let requests = requests(for: transfers[...], session)
        return PendingSubmission { [core] () async throws(TransferFailure) in
            var answers: [SubmissionAnswer] = []
            answers.reserveCapacity(transfers.count)
            for request in requests {
                switch request {
                case .sent(let number, let count):
                    let given = try Self.submitted(try await core.answer(to: number))
                    guard given.count == count else { throw .unexpectedAnswer }
                    answers += given
                case .unsent(let failure, let count):
                    guard failure.code == .messageTooLarge else { throw failure }
                    answers += [SubmissionAnswer](repeating: .refused(failure), count: count)
                }
            }
            return answers
        }
    }

    private enum Request {
        case sent(UInt64, count: Int)
        case unsent(TransferFailure, count: Int)
    }

    /// Halves a batch until it fits into a frame; a transfer that does not fit alone is refused.
    private func requests(for batch: ArraySlice<TransferSpec>, _ session: SessionID) -> [Request] {
        do throws(TransferFailure) {
            return [.sent(try core.send(.session(session, .submit(Array(batch)))), count: batch.count)]
        } catch {
            guard error.code == .messageTooLarge, batch.count > 1 else { return [.unsent(error, count: batch.count)] }
            let middle = batch.startIndex + batch.count / 2
            return requests(for: batch[..<middle], session) + requests(for: batch[middle...], session)
        }
    }

    private static func submitted(_ message: ServiceMessage) throws(TransferFailure) -> [SubmissionAnswer] {
        switch message {
        case .session(.submitted(let answers)): return answers
        case .session(.failed(let failure)): throw failure
        default: throw .unexpectedAnswer
        }
    }
}
