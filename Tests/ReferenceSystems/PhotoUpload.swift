import Longhaul

/// The app uploads a photo, and shows its progress.
struct PhotoUpload: ReferenceSystem {
    static let session = "org.example.photos"
    let platform: Platform

    init(_ platform: Platform) { self.platform = platform }

    func configure(_ configuration: inout TransferSession.Configuration) {
        configuration.notifications = NotificationSettings(appName: "Photos")
    }

    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure) {
        try await platform.showLoss(of: session)
        var options = TransferOptions()
        // The server recognizes the photo if it gets it a second time.
        options.idempotencyKey = "photo-1"
        let photo = try await session.upload(
            file: "\(platform.directory)/photo.jpg", to: "\(platform.server)/photos", method: "POST", key: "photo",
            options: options)
        try await platform.follow(photo)
    }
}
