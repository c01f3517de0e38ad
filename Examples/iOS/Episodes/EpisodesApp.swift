import LonghaulApple
import SwiftUI

@main struct EpisodesApp: App {
    // Created at every launch: the system also starts the app when its downloads have ended.
    private let transfers: AppSession

    init() {
        var configuration = TransferSession.Configuration()
        configuration.notifications = NotificationSettings(appName: "Episodes", kinds: [.finished, .failed])
        configuration.rules = SessionRules(usesCellular: UserDefaults.standard.bool(forKey: "usesCellular"))
        transfers = AppSession("org.example.Episodes", configuration: configuration)
        transfers.followApp()
    }

    var body: some Scene {
        WindowGroup { EpisodesView(transfers: transfers) }
            .transferEvents(of: transfers)
    }
}

extension SessionRules {
    init(usesCellular: Bool) {
        self.init()
        transferLimit = 3
        transferLimitPerHost = 2
        transferLimitPerGroup = ["Backstage": 1]
        // On cellular, and on the hotspot of another phone.
        conditions.allowsExpensiveNetworkAccess = usesCellular
    }
}
