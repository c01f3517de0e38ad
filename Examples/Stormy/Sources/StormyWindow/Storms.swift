import DesktopKit
import StormWatch

/// The data and the commands of the window. The checks at noon are the same with and without a window.
final class Storms {
    private(set) var answers: [Weather] = []
    private(set) var nextCheck: WallTime?
    private(set) var photos: [TransferSnapshot] = []
    private(set) var isChecking = false
    /// Called after the data has changed.
    var whenChanged: () -> Void = {}
    /// Called with a message that is shown once and not stored.
    var whenTold: (String) -> Void = { _ in }
    /// Asks the user for photos, and returns their paths.
    var takePhotos: @MainActor () async -> [String] = { [] }

    private let id: String
    private var opening: Task<Result<StormWatch, TransferFailure>, Never>?
    private var staying: Task<Void, Never>?
    /// Whether `runDue` is handling the events for which the app was started. A window that opens meanwhile must not handle them
    /// too; it follows later events if `staysAfterwards` is set.
    private var isRunningDue = false
    private var staysAfterwards = false

    init(id: String) {
        self.id = id
    }

    /// Follows the session, for a window.
    func start() {
        guard staying == nil, Settings.places != nil else { return }
        guard !isRunningDue else {
            staysAfterwards = true
            Task { await refresh() }
            return
        }
        staying = Task {
            await perform { watch throws(TransferFailure) in
                try await watch.schedule()
                await self.refresh()
                let photos = Task { await self.follow(watch.session) }
                defer { photos.cancel() }
                try await watch.stay { await self.takePhotos() }
            }
            staying = nil
        }
    }

    /// Closes the session and opens another one with the present addresses.
    func restart() async {
        staying?.cancel()
        await staying?.value
        // A session that could not be opened needs no close.
        if let watch = try? await opening?.value.get() { await watch.session.close() }
        opening = nil
        start()
        whenChanged()
    }

    /// Handles the events for which the app was started. Opens a window only to ask the user for photos.
    func runDue() async {
        guard staying == nil, !isRunningDue else { return }
        isRunningDue = true
        await perform { watch throws(TransferFailure) in try await watch.runDue { await self.takePhotos() } }
        isRunningDue = false
        if staysAfterwards { start() }
    }

    func check() async {
        guard !isChecking else { return }
        isChecking = true
        whenChanged()
        await perform { watch throws(TransferFailure) in try await watch.look() }
        isChecking = false
        whenChanged()
    }

    func send(_ photos: [String]) async {
        await perform { watch throws(TransferFailure) in
            for photo in photos { try await watch.send(photo, key: "photo-\(g_get_real_time())") }
        }
    }

    func tryAgain(_ photo: TransferSnapshot) async {
        await perform { watch throws(TransferFailure) in try await watch.session.transfer(photo.id).retry() }
    }

    private func refresh() async {
        await perform { watch throws(TransferFailure) in
            self.nextCheck = try await watch.nextCheck()
            self.answers = watch.log.answers
        }
        whenChanged()
    }

    private func follow(_ session: TransferSession) async {
        // The changes end with the session, whose failure the window shows.
        do {
            for try await change in session.changes(matching: .group(StormWatch.photos)) {
                change.apply(to: &photos)
                whenChanged()
            }
        } catch {}
    }

    private func perform(_ body: (StormWatch) async throws(TransferFailure) -> Void) async {
        do throws(TransferFailure) { try await body(open()) } catch { whenTold(error.message) }
    }

    private func open() async throws(TransferFailure) -> StormWatch {
        guard let places = Settings.places else {
            throw TransferFailure(.invalidArgument, tr("Say first where the weather and the album are."))
        }
        let task = opening ?? Task { await make(places) }
        opening = task
        let result = await task.value
        if case .failure = result { opening = nil }
        return try result.get()
    }

    private func make(_ places: StormWatch.Places) async -> Result<StormWatch, TransferFailure> {
        do throws(TransferFailure) {
            return .success(
                try await StormWatch(
                    places, wake: .dbus(appID: id), icon: id, wording: .init { tr($0) },
                    whenNoted: { Task { @MainActor in await self.refresh() } },
                    whenSent: { Task { @MainActor in self.whenTold(tr("Your photo is in the album")) } }))
        } catch {
            return .failure(error)
        }
    }
}
