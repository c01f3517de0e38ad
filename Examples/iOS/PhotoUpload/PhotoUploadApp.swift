import LonghaulApple
import SwiftUI

@main struct PhotoUploadApp: App {
    // Created at every launch: the system also starts the app when its uploads have ended.
    private let transfers: AppSession

    init() {
        var configuration = TransferSession.Configuration()
        configuration.notifications = NotificationSettings(appName: "Photo Upload")
        transfers = AppSession("org.example.photo-upload", configuration: configuration)
        // Before the launch ends: the system then delivers the tap that launched the app.
        transfers.becomeNotificationDelegate()
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { UploadsView(transfers: transfers) }
            .transferEvents(of: transfers)
    }
}
