import LonghaulApple
import LonghaulFoundation
import SwiftUI
import UserNotifications

/// The episodes of the catalog, each with its download. The session is the database of the downloads.
struct EpisodesView: View {
    let transfers: AppSession
    @State private var downloads = ObservableTransferList()
    @State private var usesCellular = UserDefaults.standard.bool(forKey: "usesCellular")
    @State private var problem: String?

    var body: some View {
        List {
            if let problem { Text(problem) }
            Toggle("Use Cellular Data", isOn: $usesCellular)
            Text("Storage used: \(stored.formatted(.byteCount(style: .file)))")
            // Each episode that the user picks starts before the rest.
            Button("Download All") { download(Episode.all, priority: -1) }
            ForEach(Episode.all) { episode in
                // The key, because URLs are not unique.
                row(episode, downloads.transfers.first { $0.key == episode.id })
            }
        }
        .task { await show { try await downloads.follow(transfers.open()) } }
        .task { await show(cleanUp) }
        .onChange(of: usesCellular) { _, isAllowed in
            UserDefaults.standard.set(isAllowed, forKey: "usesCellular")
            attempt { try await transfers.open().setRules(SessionRules(usesCellular: isAllowed)) }
        }
    }

    private var stored: Int64 {
        downloads.transfers.filter { $0.state == .succeeded }.reduce(0) { $0 + $1.bytesDone }
    }

    private func row(_ episode: Episode, _ download: TransferSnapshot?) -> some View {
        VStack(alignment: .leading) {
            Text(episode.title)
            Text(download?.state.description ?? episode.show).foregroundStyle(.secondary)
            if let download, !download.state.isEnded { ProgressView(value: download.fractionCompleted) }
            HStack { buttons(episode, download) }
                // In a list, buttons of other styles react to a tap anywhere in the row.
                .buttonStyle(.borderless)
        }
    }

    @ViewBuilder private func buttons(_ episode: Episode, _ download: TransferSnapshot?) -> some View {
        if let download, download.state.isEnded {
            if download.state != .succeeded { button("Retry", download) { try await $0.retry() } }
            button("Delete", download, delete)
        } else if let download {
            if download.state == .paused { button("Resume", download) { try await $0.resume() } }
            if download.state != .paused { button("Pause", download) { try await $0.pause() } }
            button("Watch Next", download) { try await $0.changeOptions { $0.isAttended = true } }
            button("Cancel", download) { try await $0.cancel() }
        } else {
            Button("Download") { self.download([episode]) }
        }
    }

    private func button(
        _ title: LocalizedStringKey, _ download: TransferSnapshot,
        _ action: @escaping @MainActor (Transfer) async throws -> Void
    ) -> some View {
        Button(title) { attempt { try await action(transfers.open().transfer(download.id)) } }
    }

    /// A second download with the same key joins the first.
    private func download(_ episodes: [Episode], priority: Int = 0) {
        attempt {
            var options = TransferOptions()
            options.priority = priority
            for episode in episodes {
                try await transfers.open().download(
                    from: episode.url, to: Episode.makeDirectory(), fileName: episode.id + ".mp4", key: episode.id,
                    group: episode.show, options: options)
            }
            // After a refusal, the downloads continue without notifications.
            _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
        }
    }

    private func delete(_ download: Transfer) async throws {
        let snapshot = try await download.snapshot()
        // An unfinished download has no file of this name yet.
        if snapshot.state == .succeeded, let file = snapshot.fileURL { try FileManager.default.removeItem(at: file) }
        try await download.remove()
    }

    /// Compares the downloads with the files, in both directions. The session has already asked the system which downloads run.
    private func cleanUp() async throws {
        let session = try await transfers.open()
        // Before the downloads are listed: one that ends meanwhile is in the list.
        let files = try FileManager.default.contentsOfDirectory(
            at: Episode.makeDirectory(), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        for finding in try await session.reconcile() where finding.code == "fileMissing" {
            if let download = finding.transfer { try await session.transfer(download).remove() }
        }
        // A download whose name is taken gets another one. Names are compared, because the system writes a path in several forms.
        let kept = Set(try await session.snapshots().compactMap(\.fileURL?.lastPathComponent))
        for file in files where !kept.contains(file.lastPathComponent) {
            try FileManager.default.removeItem(at: file)
        }
    }

    private func attempt(_ action: @escaping @MainActor () async throws -> Void) {
        problem = nil
        Task { await show(action) }
    }

    private func show(_ action: @MainActor () async throws -> Void) async {
        do { try await action() } catch { problem = error.localizedDescription }
    }
}
