import LonghaulApple
import SwiftUI

@main struct StormWatcherApp: App {
    private let transfers = AppSession("org.example.StormWatcher")

    init() {
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { Text("StormWatcher") }
            .transferEvents(of: transfers)
    }
}
