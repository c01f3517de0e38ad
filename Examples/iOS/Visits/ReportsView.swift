import LonghaulApple
import LonghaulFoundation
import SwiftUI

/// The reports of this launch and of earlier ones. The session keeps them until the user removes them.
struct ReportsView: View {
    let transfers: AppSession
    let problems: Problems
    @State private var reports = ObservableTransferList()

    var body: some View {
        NavigationStack {
            List {
                if let problem = problems.last { Text(problem) }
                ForEach(reports.transfers) { report in row(report) }
            }
            .navigationTitle("Visits")
        }
        .task { await attempt { try await reports.follow(transfers.open()) } }
    }

    private func row(_ report: TransferSnapshot) -> some View {
        VStack(alignment: .leading) {
            Text("Visit \(report.url.hasSuffix("lost") ? "lost" : "ended"), \(Date(report.createdAt).formatted())")
            Text(report.state == .succeeded ? "Delivered" : report.state.description).foregroundStyle(.secondary)
            HStack {
                if report.state.isEnded {
                    if report.state != .succeeded { button("Retry", report) { try await $0.retry() } }
                    button("Remove", report) { try await $0.remove() }
                }
            }
            // In a list, buttons of other styles react to a tap anywhere in the row.
            .buttonStyle(.borderless)
        }
    }

    private func button(
        _ title: LocalizedStringKey, _ report: TransferSnapshot,
        action: @escaping @MainActor (Transfer) async throws -> Void
    ) -> some View {
        Button(title) {
            Task { await attempt { try await action(transfers.open().transfer(report.id)) } }
        }
    }

    private func attempt(_ action: @MainActor () async throws -> Void) async {
        do { try await action() } catch { problems.show(error) }
    }
}
