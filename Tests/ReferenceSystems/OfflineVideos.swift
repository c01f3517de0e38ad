import Longhaul

/// The app downloads the films of a season, two at a time, and shows them as a list.
struct OfflineVideos: ReferenceSystem {
    static let session = "org.example.films"
    let platform: Platform

    init(_ platform: Platform) { self.platform = platform }

    func configure(_ configuration: inout TransferSession.Configuration) {
        var rules = SessionRules()
        rules.transferLimit = 2
        configuration.rules = rules
    }

    func open(_ session: TransferSession, _ lifecycle: ProcessLifecycle) async throws(TransferFailure) {
        // Compares the records with the files in both directions.
        for finding in try await session.reconcile() { platform.show("clean-up: \(finding)") }
        let films = (1...System.films).map { number in
            TransferSpec.download(
                from: "\(platform.server)/films/\(number)", to: "\(platform.directory)/films",
                fileName: "\(number).mp4", key: "film \(number)", group: "season")
        }
        for result in try await session.submit(films) { _ = try result.get() }
        // The user taps a film that waits because of a failure.
        for film in try await session.snapshots() {
            if case .waiting(let waiting) = film.state, waiting.failure != nil {
                try await session.transfer(film.id).retry()
            }
        }
        try await showList(of: session)
    }

    private func showList(of session: TransferSession) async throws(TransferFailure) {
        var list: [TransferSnapshot] = []
        var states: [TransferID: TransferState] = [:]
        for try await change in session.changes(matching: .group("season")) {
            change.apply(to: &list)
            for film in change.inserted + change.updated
            where states.updateValue(film.state, forKey: film.id) != film.state { platform.show(film) }
            if !list.isEmpty, list.allSatisfy(\.state.isEnded) { return }
        }
    }
}
