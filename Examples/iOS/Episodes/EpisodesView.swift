import LonghaulApple
import LonghaulFoundation
import SwiftUI

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
            Button("Download All") { download(Episode.all) }
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
    private func download(_ episodes: [Episode]) {
        attempt {
            for episode in episodes {
                try await transfers.open().download(
                    from: episode.url, to: Episode.directory, fileName: episode.id + ".mp4", key: episode.id,
                    group: episode.show)
            }
        }
    }

    private func delete(_ download: Transfer) async throws {
        if let file = try await download.snapshot().fileURL { try FileManager.default.removeItem(at: file) }
        try await download.remove()
    }

    /// Compares the downloads with the files, in both directions. The session has already asked the system which downloads run.
    private func cleanUp() async throws {
        let session = try await transfers.open()
        // Before the downloads are listed: one that ends meanwhile is in the list.
        let files = try? FileManager.default.contentsOfDirectory(
            at: Episode.directory, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        for finding in try await session.reconcile() where finding.code == "fileMissing" {
            if let download = finding.transfer { try await session.transfer(download).remove() }
        }
        let kept = Set(try await session.snapshots().compactMap(\.key))
        for file in files ?? [] where !kept.contains(file.deletingPathExtension().lastPathComponent) {
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
