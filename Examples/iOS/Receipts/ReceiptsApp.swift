import LonghaulApple
import SwiftUI

@main struct ReceiptsApp: App {
    private let transfers = AppSession("org.example.Receipts")

    init() {
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { Text("Receipts") }
            .transferEvents(of: transfers)
    }
}
