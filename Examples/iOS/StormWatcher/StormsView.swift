import LonghaulApple
import LonghaulFoundation
import PhotosUI
import SwiftUI
import UserNotifications

struct StormsView: View {
    let transfers: AppSession
    let scheduler: TaskScheduler
    let watch: StormWatch
    @State private var photos = ObservableTransferList()
    @State private var picked: PhotosPickerItem?
    @State private var tap: SessionEvent?
    @State private var problem: String?

    var body: some View {
        List {
            if let problem { Text(problem) }
            if tap != nil { Text("It is stormy. Send a photo.") }
            PhotosPicker("Send a Photo", selection: $picked, matching: .images)
            ForEach(photos.transfers) { photo in
                Text("\(photo.name): \(photo.state.description)")
                if photo.state.isEnded {
                    Button("Remove") {
                        Task { await attempt { try await transfers.open().transfer(photo.id).remove() } }
                    }
                }
            }
            ForEach(watch.log, id: \.self) { line in Text(line).foregroundStyle(.secondary) }
        }
        .task { await attempt(schedule) }
        .task { await attempt { try await photos.follow(transfers.open(), matching: .group("photos")) } }
        .task { await attempt(receiveEvents) }
        .onChange(of: picked) { _, item in
            picked = nil
            // Not the asynchronous form, because an item is not Sendable.
            item?.loadTransferable(type: Data.self) { photo in Task { await attempt { try await send(photo.get()) } } }
        }
    }

    private func schedule() async throws {
        // The window shows the forecast even if the user refuses notifications.
        _ = try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
        try await scheduler.submit(.appRefresh("noon", repeats: .daily(hour: 12)))
        // Runs a check that the system has missed: a new request keeps it.
        try await scheduler.runDue()
    }

    private func receiveEvents() async throws {
        let session = try await transfers.open()
        for try await event in session.events {
            if case .notificationTapped(let shown) = event.kind, shown.identifier == "storm" { tap = event }
            await watch.readForecast(in: session)
        }
    }

    /// Returns when the photo is on disk. From then on, its upload survives a kill of the app.
    private func send(_ photo: Data?) async throws {
        guard let photo else { return problem = "The picker has no data for this photo." }
        // Your server. A PUT to a new URL can be repeated safely.
        let url = URL(string: "https://example.org/photos/\(UUID()).jpg")!
        try await transfers.open().upload(data: photo, to: url, group: "photos")
        if let tap { try await transfers.open().acknowledge(tap) }
        tap = nil
    }

    private func attempt(_ action: @MainActor () async throws -> Void) async {
        do { try await action() } catch { problem = error.localizedDescription }
    }
}
