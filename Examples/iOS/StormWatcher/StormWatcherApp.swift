import LonghaulApple
import SwiftUI

@main struct StormWatcherApp: App {
    // Created at every launch: the system also starts the app at noon, and for a response.
    private let transfers: AppSession
    private let scheduler: TaskScheduler
    private let watch = StormWatch()

    init() {
        var configuration = TransferSession.Configuration()
        configuration.notifications = NotificationSettings(appName: "Storm Watcher")
        var options = AppOptions()
        // A response that came after its check has started the app.
        options.onEvents = { [watch] session in await watch.readForecast(in: session) }
        transfers = AppSession("org.example.StormWatcher", configuration: configuration, options: options)
        scheduler = TaskScheduler(transfers) { [watch] tasks throws(TransferFailure) in
            try tasks.register("noon") { context in try await watch.checkWeather(context) }
        }
        // Before the launch ends: the system then delivers the tap that launched the app.
        transfers.becomeNotificationDelegate()
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { StormsView(transfers: transfers, scheduler: scheduler, watch: watch) }
            .transferEvents(of: transfers)
            .transferTasks(of: scheduler)
    }
}
