import LonghaulApple
import SwiftUI

/// The upload that has changed last. It follows the session itself: there can be any number of observers.
struct UploadToast: View {
    let transfers: AppSession
    @State private var upload: TransferSnapshot?

    var body: some View {
        VStack {
            if let upload {
                Text("\(upload.name): \(upload.state.description)")
                if !upload.state.isEnded { ProgressView(value: upload.fractionCompleted) }
            }
        }
        // The list shows the failures of the session.
        .task { try? await follow(transfers.open()) }
    }

    private func follow(_ session: TransferSession) async throws {
        for try await change in session.changes() {
            // The first change has all uploads.
            upload = change.updated.last ?? change.inserted.last { !$0.state.isEnded } ?? upload
        }
    }
}
