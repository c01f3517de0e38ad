import LonghaulApple
import SwiftUI

@main struct PhotoUploadApp: App {
    // Created at every launch: the system also starts the app when its uploads have ended.
    private let transfers: AppSession

    init() {
        var configuration = TransferSession.Configuration()
        configuration.notifications = NotificationSettings(appName: "Photo Upload")
        transfers = AppSession("org.example.photo-upload", configuration: configuration)
        let states = transfers.followApp().states
        // Detached: the main thread waits for this task when the app ends.
        Task.detached { [transfers] in
            for await state in states where state == .terminating { try? await warn(transfers.open()) }
        }
    }

    var body: some Scene {
        WindowGroup { UploadsView(transfers: transfers) }
            .transferEvents(of: transfers)
    }
}

/// The system cancels the uploads of an app that the user quits in the app switcher. The next launch starts them again.
private func warn(_ session: TransferSession) async throws {
    guard try await session.snapshots().contains(where: { !$0.state.isEnded }) else { return }
    try await session.notify(
        LocalNotification("interrupted", title: "An upload was interrupted", body: "Open the app to continue."))
}
