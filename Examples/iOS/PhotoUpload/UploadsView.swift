import LonghaulApple
import LonghaulFoundation
import PhotosUI
import SwiftUI
import UserNotifications

/// The uploads of this launch and of earlier ones. The session keeps them until the user removes them.
struct UploadsView: View {
    let transfers: AppSession
    @State private var uploads = ObservableTransferList()
    @State private var picked: PhotosPickerItem?
    @State private var message: String?

    var body: some View {
        NavigationStack {
            List {
                if let message { Text(message) }
                ForEach(uploads.transfers) { upload in row(upload) }
            }
            .toolbar { PhotosPicker("Add", selection: $picked, matching: .images) }
            .overlay(alignment: .bottom) { UploadToast(transfers: transfers) }
        }
        .task { await attempt { try await uploads.follow(transfers.open()) } }
        .task { await attempt { try await transfers.open().withdrawNotification("interrupted") } }
        .onChange(of: picked) { _, item in
            picked = nil
            // Not the asynchronous form, because an item is not Sendable.
            item?.loadTransferable(type: PickedPhoto.self) { photo in
                Task { await attempt { try await send(photo.get()) } }
            }
        }
    }

    private func row(_ upload: TransferSnapshot) -> some View {
        HStack {
            Text(upload.name)
            if upload.state.isEnded {
                if case .failed = upload.state { button("Retry", upload) { try await $0.retry() } }
                button("Remove", upload) { try await $0.remove() }
            } else {
                button("Cancel", upload) { try await $0.cancel() }
            }
        }
        .buttonStyle(.borderless)  // In a list, buttons of other styles react to a tap anywhere in the row.
    }

    private func button(
        _ title: LocalizedStringKey, _ upload: TransferSnapshot,
        action: @escaping @MainActor (Transfer) async throws -> Void
    ) -> some View {
        Button(title) {
            Task { await attempt { try await action(transfers.open().transfer(upload.id)) } }
        }
    }

    /// Returns when the upload is on disk. From then on, it survives a kill of the app.
    private func send(_ photo: PickedPhoto?) async throws {
        guard let photo else { return message = "The picker has no file for this photo." }
        // The session has its own copy when the call returns. The system deletes what is left in the temporary directory.
        defer { try? FileManager.default.removeItem(at: photo.file.deletingLastPathComponent()) }
        // Your server. A PUT to a new URL can be repeated safely.
        let url = URL(string: "https://example.org/photos/\(UUID())")!
        try await transfers.open().upload(file: photo.file, to: url)
        // After a refusal, the uploads continue without notifications.
        _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
    }

    private func attempt(_ action: @MainActor () async throws -> Void) async {
        do { try await action() } catch { message = error.localizedDescription }
    }
}
