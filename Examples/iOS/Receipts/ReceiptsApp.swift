import LonghaulApple
import SwiftUI

@main struct ReceiptsApp: App {
    // The identifier finds the uploads of earlier launches. Created at every launch: the system also starts the app for them.
    private let transfers = AppSession("org.example.Receipts")

    init() {
        transfers.followApp()
        // At every launch, since Longhaul stores no token. The view shows why a session cannot be opened.
        Task { [transfers] in
            try? await transfers.open().setCredentialProvider { request in
                // For a renewal if the server has refused the token (401).
                .bearer(await SignIn.token(isRenewal: request.isRenewal))
            }
        }
    }

    var body: some Scene {
        WindowGroup { ReceiptsView(transfers: transfers) }
            .transferEvents(of: transfers)
    }
}

/// Your sign-in, which keeps its token in the keychain.
enum SignIn {
    static func token(isRenewal: Bool) async -> String { isRenewal ? "renewed token" : "token" }
}
