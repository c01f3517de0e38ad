import LonghaulApple
import SwiftUI

@main struct EpisodesApp: App {
    private let transfers = AppSession("org.example.Episodes")

    init() {
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { Text("Episodes") }
            .transferEvents(of: transfers)
    }
}
