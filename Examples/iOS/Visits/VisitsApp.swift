import LonghaulApple
import LonghaulFoundation
import SwiftUI

/// A visit begins when the user opens the app, and ends with the process. The server is notified of each end.
@main struct VisitsApp: App {
    // Created at every launch: the system also starts the app when reports have been delivered.
    private let transfers = AppSession("org.example.Visits")
    private let problems = Problems()

    init() {
        let states = transfers.followApp().states
        // Detached: the main thread waits for this task when the app ends.
        Task.detached { [transfers, problems] in
            // Your server. The visit's identifier is the same in both requests.
            let server = URL(string: "https://example.org/visits/")!
            let visit = Data(UUID().uuidString.utf8)
            // A launch in the background is no visit.
            var hasBegun = false
            for await state in states {
                do {
                    if state == .active {
                        hasBegun = true
                        // Sent by the next launch if the app crashes or is killed.
                        try await transfers.open().setLastWill(
                            .request(server.appending(path: "lost"), method: "POST", body: visit))
                    } else if state == .terminating, hasBegun {
                        // On disk when the call returns. The app ends when this loop is ready for the next state.
                        try await transfers.open().request(
                            server.appending(path: "ended"), method: "POST", body: visit, options: .atTermination)
                    }
                } catch {
                    await problems.show(error)
                }
            }
        }
    }

    var body: some Scene {
        WindowGroup { ReportsView(transfers: transfers, problems: problems) }
            .transferEvents(of: transfers)
    }
}

/// The last failure.
@MainActor @Observable final class Problems {
    private(set) var last: String?

    func show(_ error: any Error) { last = error.localizedDescription }
}
