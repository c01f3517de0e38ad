import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Reads the records through its own connection and inspects their files, outside the loop's thread.
struct FileSurvey {
    private static let pageSize = 500
    let layout: SessionLayout
    let anchors: PathAnchors
    let live: Set<TransferID>
    let now: WallTime

    /// Inspects everything, and deletes staged bodies that no record names; `nil` if `isWanted` became false.
    func run(while isWanted: () -> Bool) throws(TransferFailure) -> ReconcileDraft? {
        // The order matters: a body that is unlocked now and that no record names later is orphaned.
        let staged = abandonedBodies()
        var reconciler = Reconciler(live: live)
        var directories: Set<String> = []
        let mounts = try? MountTable.current()
        let store = try Store(readingAlong: layout.store, anchors: anchors)
        try store.check()
        var query = ListQuery(limit: Self.pageSize)
        var hasMore = true
        while hasMore {
            guard isWanted() else { return nil }
            let page = try store.page(query)
            for transfer in page.records {
                let record = ReconcileRecord(transfer)
                let point = transfer.spec.download?.mountPoint
                let isUnmounted = point.map { mounts?.isMounted($0) == false } ?? false
                // An empty mount point says nothing about the files of its drive.
                reconciler.check(record, look: { isUnmounted ? .unknown : presence($0) })
                guard let download = record.download else { continue }
                directories.insert(download.directory)
                directories.formUnion(download.otherPaths.map(Directory.of))
            }
            query.afterSequence = page.records.last?.sequence ?? 0
            hasMore = page.hasMore
        }
        let draft = reconciler.conclude(partials: partials(in: directories), staged: staged)
        for item in draft.items where item.finding.kind == .stagedForeign {
            if let path = item.finding.path { SessionDirectory.discardStagedBody(path) }
        }
        return draft
    }

    private func presence(_ path: String) -> FilePresence {
        do throws(SystemError) {
            return .present(length: try FileStatus(of: path, followsLinks: false).size)
        } catch {
            return error.isMissing ? .absent : .unknown
        }
    }

    /// A directory may have several paths.
    private func partials(in directories: Set<String>) -> [FoundPartial] {
        var seen: Set<FileIdentity> = []
        return directories.sorted().flatMap { directory -> [FoundPartial] in
            guard let place = Files.identity(directory), seen.insert(place).inserted else { return [] }
            return Directory.names(in: directory).sorted().compactMap { name in
                PartialName.transfer(in: name).map { FoundPartial(id: $0, path: "\(directory)/\(name)") }
            }
        }
    }

    private func abandonedBodies() -> [String] {
        Directory.names(in: layout.staged).sorted().map { "\(layout.staged)/\($0)" }.filter {
            SessionDirectory.isAbandoned($0, at: now)
        }
    }
}
