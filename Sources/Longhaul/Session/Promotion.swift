import LonghaulCore
import LonghaulRuntime
import LonghaulSystem

/// Small requests that are waited for, and that go on when nobody waits any more.
extension TransferSession {
    /// Makes a request and returns the answer, whatever its status.
    ///
    /// It runs in the session, not in the task that waits: when that task is cancelled first, this fails with `interrupted`
    /// and the request goes on, on the same connection. When the answer is there, the app is started if it has
    /// registered how and is not here, and finds it among the ``events``, or by asking again for the same.
    ///
    /// Identical requests (method, URL, header fields, body) that are under way are one request, and all who wait get its
    /// answer. The answer is removed when it was given. A request that is waited for is attended
    /// (``LonghaulCore/TransferOptions/isAttended``): while four or fewer are, it starts at once, beyond limits that are
    /// defaults. An app sets that option for other transfers that its user waits for.
    ///
    /// Fails with what the request failed with when no answer came, for instance with `hostNotFound`.
    public func data(for request: DataRequest) async throws(TransferFailure) -> ResponseSummary {
        let key = request.key
        return try await promotions.wait(for: key) { [self] in await serve(request, key, $0) }.get()
    }

    /// The transfer that stands for a request: a new one, or the one that is under way or was answered a short while ago.
    private func keep(_ request: DataRequest, _ key: String) async throws(TransferFailure) -> Transfer {
        let transfer = try await submit(request, key)
        do throws(TransferFailure) {
            let snapshot = try await transfer.snapshot()
            guard snapshot.state.isEnded, let endedAt = snapshot.endedAt else { return transfer }
            let age = SystemClock.wallTime() - endedAt
            // One that ended in the future did so before the clock was set back.
            if age <= request.answerLifetime, age >= .seconds(-3_600) { return transfer }
            try await transfer.remove()
        } catch {
            // Somebody else took the answer in between.
            guard error.code == .unknownTransfer else { throw error }
        }
        return try await submit(request, key)
    }

    private func submit(_ request: DataRequest, _ key: String) async throws(TransferFailure) -> Transfer {
        var options = configuration.options
        options.keyConflict = .keep
        // An answer that is there is given, whatever it is, and no second request is made for it.
        options.restartsEndedBefore = WallTime(microseconds: .min)
        options.wakesAppWhenFinished = true
        if promotions.count <= TransferOptions.mostAttended { options.isAttended = true }
        return try await self.request(
            request.url, method: request.method, body: request.body, headers: request.headers, key: key,
            options: options)
    }

    /// Makes the request for all who wait, and waits for its end. An answer that is given to somebody is forgotten first: a
    /// process that ends right here asks again. One that nobody waits for stays.
    private func serve(_ request: DataRequest, _ key: String, _ wait: UInt64) async {
        do throws(TransferFailure) {
            let (transfer, result) = try await result(of: request, key, wait)
            let waiters = promotions.take(key, wait)
            guard !waiters.isEmpty else { return }
            // What cannot be forgotten now is too old to be an answer later.
            try? await transfer.remove()
            for waiter in waiters { waiter.resume(returning: result.answer) }
        } catch {
            for waiter in promotions.take(key, wait) { waiter.resume(returning: .failure(error)) }
        }
    }

    private func result(
        of request: DataRequest, _ key: String, _ wait: UInt64
    ) async throws(TransferFailure) -> (Transfer, TransferResult) {
        while true {
            let transfer = try await keep(request, key)
            promotions.noteKept(key, wait)
            do throws(TransferFailure) {
                return (transfer, try await transfer.result())
            } catch {
                // Those who waited before took the answer in between.
                guard error.code == .unknownTransfer else { throw error }
            }
        }
    }
}

extension TransferResult {
    /// What those are told who wait for it.
    fileprivate var answer: DataDesk.Answer {
        if let response { return .success(response) }
        switch ending {
        case .failed(let failure): return .failure(failure)
        case .cancelled, .succeeded:
            return .failure(
                TransferFailure(.interrupted, "The request was cancelled before an answer came. Ask again."))
        }
    }
}
