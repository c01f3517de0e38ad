import LonghaulCore
import LonghaulSystem

/// Exchanges that outlived the owner that began them. They are queried at the opening, and taken over in its first turn.
enum Survivors {
    /// Time for the engine to report its exchanges. Nothing starts before, because it might start twice.
    private static let patience = Duration.seconds(20)

    /// Returns the engine's exchanges, one for each transfer: the latest attempt, to which its record refers. The others are
    /// dropped.
    static func query(
        _ engine: (any ExchangeEngine)?, except culprits: Set<TransferID>
    ) throws(TransferFailure) -> [SurvivingExchange] {
        guard let engine, engine.traits.outlivesProcess else { return [] }
        let answer = Monitor<[SurvivingExchange]?>(nil)
        engine.survivors { survivors in answer.change { $0 = survivors } }
        let all = answer.wait(until: SystemClock.wallTime() + patience, while: { $0 == nil }) { $0 }
        guard let all else {
            throw TransferFailure(
                .serviceUnavailable,
                "The system did not report the transfers that it runs. Open the session again in a moment.")
        }
        let wanted = all.filter { !culprits.contains($0.id.transfer) }
        let latest = Dictionary(grouping: wanted, by: \.id.transfer)
            .compactMap { $0.value.max { $0.id.attempt < $1.id.attempt } }
            .sorted { $0.id.transfer < $1.id.transfer }
        for exchange in all where !latest.contains(exchange) { engine.drop(exchange.id) }
        return latest
    }
}
