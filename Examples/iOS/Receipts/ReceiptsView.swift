import LonghaulApple
import LonghaulFoundation
import PhotosUI
import SwiftUI

/// Each receipt is one form with its photo. The forms of earlier launches are found again, wherever their upload is.
struct ReceiptsView: View {
    let transfers: AppSession
    @State private var receipts = ObservableTransferList()
    @State private var found: Int?
    @State private var picked: PhotosPickerItem?
    @State private var problem: String?

    var body: some View {
        NavigationStack {
            List {
                if let problem { Text(problem) }
                if let found { Text("Unfinished uploads of earlier launches: \(found)") }
                ForEach(receipts.transfers) { receipt in row(receipt) }
            }
            .navigationTitle("Receipts")
            .toolbar { PhotosPicker("Add", selection: $picked, matching: .images) }
        }
        .task {
            await attempt {
                let session = try await transfers.open()
                found = try await session.snapshots().filter { !$0.state.isEnded }.count
                try await receipts.follow(session)
            }
        }
        .onChange(of: picked) { _, item in
            picked = nil
            // Not the asynchronous form, because an item is not Sendable.
            item?.loadTransferable(type: Data.self) { photo in
                Task { await attempt { try await submit(photo.get()) } }
            }
        }
    }

    private func row(_ receipt: TransferSnapshot) -> some View {
        VStack(alignment: .leading) {
            Text("Receipt of \(Date(receipt.createdAt).formatted())")
            if !receipt.state.isEnded { ProgressView(value: receipt.fractionCompleted) }
            Text(receipt.state.description).foregroundStyle(.secondary)
            HStack {
                if receipt.state.isEnded {
                    if case .failed = receipt.state { button("Retry", receipt) { try await $0.retry() } }
                    button("Remove", receipt) { try await $0.remove() }
                } else {
                    if receipt.state == .paused {
                        button("Resume", receipt) { try await $0.resume() }
                    } else {
                        button("Pause", receipt) { try await $0.pause() }
                    }
                    button("Cancel", receipt) { try await $0.cancel() }
                }
            }
            // In a list, buttons of other styles react to a tap anywhere in the row.
            .buttonStyle(.borderless)
        }
    }

    private func button(
        _ title: LocalizedStringKey, _ receipt: TransferSnapshot,
        action: @escaping @MainActor (Transfer) async throws -> Void
    ) -> some View {
        Button(title) {
            Task { await attempt { try await action(transfers.open().transfer(receipt.id)) } }
        }
    }

    /// Returns when the form is on disk. It fails after seven days, the default of `timeoutIntervalForResource`.
    private func submit(_ photo: Data?) async throws {
        guard let photo else { return problem = "The picker has no data for this photo." }
        var options = TransferOptions()
        // The server recognizes a form that it gets a second time. Without this key, a form whose response is lost fails.
        options.idempotencyKey = UUID().uuidString
        // Each attempt has the token of that time in its Authorization header.
        options.credential = "sign-in"
        let form: [FormField] = [
            .text(name: "title", value: "Receipt of \(Date.now.formatted())"),
            .data(name: "photo", photo, fileName: "receipt.jpg"),
        ]
        // Your server.
        let url = URL(string: "https://example.org/receipts")!
        try await transfers.open().upload(form: form, to: url, options: options)
    }

    private func attempt(_ action: @MainActor () async throws -> Void) async {
        do {
            problem = nil
            try await action()
        } catch {
            problem = error.localizedDescription
        }
    }
}
