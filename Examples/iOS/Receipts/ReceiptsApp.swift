import LonghaulApple
import SwiftUI

@main struct ReceiptsApp: App {
    // The identifier finds the uploads of earlier launches. Created at every launch: the system also starts the app for them.
    private let transfers = AppSession("org.example.Receipts")

    init() {
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { ReceiptsView(transfers: transfers) }
            .transferEvents(of: transfers)
    }
}
