import LonghaulApple
import SwiftUI

@main struct VisitsApp: App {
    private let transfers = AppSession("org.example.Visits")

    init() {
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { Text("Visits") }
            .transferEvents(of: transfers)
    }
}
