import LonghaulApple
import LonghaulFoundation
import Observation

/// The checks of the weather, with and without a window.
@MainActor @Observable final class StormWatch {
    /// The last checks and forecasts, newest first.
    private(set) var log = UserDefaults.standard.stringArray(forKey: "log") ?? [] {
        didSet { UserDefaults.standard.set(log, forKey: "log") }
    }
    private var reading: Task<Void, any Error>?

    /// The system cancels this when its time is over, after half a minute at the latest. The request continues.
    func checkWeather(_ context: BackgroundTaskContext) async throws {
        var end = "finished"
        defer { note("Check \(end), \(context.remainingTime.components.seconds) s left") }
        do {
            var quiet = TransferOptions()
            quiet.showsNotifications = false
            // Your server. By the key, a check joins the request of an earlier check that has no response yet.
            _ = try await context.session.request("https://example.org/sky", key: "sky", options: quiet).response()
            await readForecast(in: context.session)
        } catch {
            end = context.cancellationReason.map { "stopped: \($0)" } ?? "failed: \(error.localizedDescription)"
            throw error
        }
    }

    /// Reads the response, which the session keeps until its request is removed. Does nothing if there is none.
    func readForecast(in session: TransferSession) async {
        // A check, a launch, and the window may call this at the same time.
        if reading == nil { reading = Task { try await readResponse(in: session) } }
        do { try await reading?.value } catch { note(error.localizedDescription) }
        reading = nil
    }

    private func readResponse(in session: TransferSession) async throws {
        guard let request = try await session.transfer(key: "sky") else { return }
        guard try await request.snapshot().state.isEnded else { return }
        let forecast = try await request.response()
        let text = forecast.status == 200 ? String(decoding: forecast.data, as: UTF8.self) : "error \(forecast.status)"
        if text.contains("storm") {
            try await session.notify(LocalNotification("storm", title: "It is stormy", body: "Send a photo?"))
        }
        try await request.remove()
        note("Forecast: \(text)")
    }

    private func note(_ text: String) { log = ["\(Date.now.formatted()): \(text)"] + log.prefix(9) }
}
