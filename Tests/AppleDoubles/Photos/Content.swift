// Double only: the photo library of a device, and the system that runs its jobs.
public import Foundation
#if !DECLARATIONS
    public import FoundationDouble
#endif
import Synchronization

/// The content of the library and the jobs, which outlive a process.
public final class PhotoLibraryContent: Sendable {
    /// A photo with its files.
    public struct Asset: Sendable {
        /// Its identifier.
        public var identifier: String
        /// Its files.
        public var types: [PHAssetResourceType]
        /// The time of its last change.
        public var modified: Date?

        /// Creates a photo.
        public init(_ identifier: String, _ types: [PHAssetResourceType], modified: Date?) {
            (self.identifier, self.types, self.modified) = (identifier, types, modified)
        }
    }

    /// An upload.
    public struct Job: @unchecked Sendable {
        /// Its identifier.
        public var identifier: String
        /// Its request.
        public var destination: URLRequest
        /// Its state.
        public var state: JobState
        /// Its error.
        public var error: (any Error)?
        var wasRetried = false

        /// `action`: the number of a `PHAssetResourceUploadJob.Action`.
        func allows(_ action: Int) -> Bool {
            switch action {
            case 1: state == .succeeded || state == .failed
            case 2: state == .failed && !wasRetried
            default: state == .registered || state == .pending
            }
        }
    }

    /// The state of a job, with the numbers of `PHAssetResourceUploadJob.State`.
    public enum JobState: Int, Sendable {
        case registered = 1
        case pending, failed, succeeded, cancelled
    }

    enum Change {
        case create(URLRequest)
        case acknowledge(String)
        case retry(String, URLRequest?)
    }

    struct State {
        var assets: [Asset] = []
        var jobs: [Job] = []
        var limit = 100
        var isEnabled = false
        var isRefused = false
        var number = 0
        var planned: [Change]?
        var beforeCommit: @Sendable () throws -> Void = {}
    }

    /// The library of the device.
    public static let shared = PhotoLibraryContent()
    private let state = Mutex(State())

    func read<Value>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

    func plan(_ change: Change) {
        state.withLock { state in
            precondition(state.planned != nil, "a change request outside of a change block")
            state.planned?.append(change)
        }
    }

    /// A change takes place as a whole or not at all. A retry fails if there are as many jobs as the system accepts.
    func change(_ block: () -> Void) throws {
        state.withLock { $0.planned = [] }
        block()
        let beforeCommit = state.withLock(\.beforeCommit)
        try beforeCommit()
        try state.withLock { state in
            let planned = state.planned ?? []
            state.planned = nil
            let old = state.jobs
            for change in planned { state.apply(change) }
            let retries = planned.contains { if case .retry = $0 { true } else { false } }
            if state.jobs.count > state.limit || retries && old.count >= state.limit {
                state.jobs = old
                throw PHPhotosError(code: .limitExceeded)
            }
        }
    }

    func setEnabled(_ isEnabled: Bool) throws {
        try state.withLock { state in
            if state.isRefused { throw PHPhotosError(code: .accessUserDenied) }
            state.isEnabled = isEnabled
            // The system deletes the jobs with the extension's configuration.
            if !isEnabled { state.jobs = [] }
        }
    }

    /// Another device: a library with these assets.
    public func reset(_ assets: [Asset], limit: Int = 100) {
        state.withLock { state in
            state = State()
            (state.assets, state.limit) = (assets, limit)
        }
    }

    /// The user takes, edits, or deletes photos.
    public func edit(_ body: (inout [Asset]) -> Void) { state.withLock { body(&$0.assets) } }

    /// The user forbids access.
    public func refuse() { state.withLock { $0.isRefused = true } }

    /// The jobs that are not acknowledged.
    public var jobs: [Job] { state.withLock { $0.jobs } }

    /// The system loses the jobs.
    public func loseJobs() { state.withLock { $0.jobs = [] } }

    /// The system ends the active jobs, with an error or without a success if `error` says so.
    public func end(_ newState: JobState, _ error: (any Error)? = nil) {
        state.withLock { state in
            for index in state.jobs.indices where [.registered, .pending].contains(state.jobs[index].state) {
                (state.jobs[index].state, state.jobs[index].error) = (newState, error)
            }
        }
    }

    /// Called before each change takes place; an error prevents it.
    public func beforeEachChange(_ body: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.beforeCommit = body }
    }
}

extension PhotoLibraryContent.State {
    fileprivate mutating func apply(_ change: PhotoLibraryContent.Change) {
        switch change {
        case .create(let request):
            number += 1
            jobs.append(PhotoLibraryContent.Job(identifier: "job \(number)", destination: request, state: .registered))
        case .acknowledge(let name): jobs.removeAll { $0.identifier == name }
        case .retry(let name, let request):
            for index in jobs.indices where jobs[index].identifier == name {
                jobs[index].wasRetried = true
                (jobs[index].state, jobs[index].error) = (.registered, nil)
                if let request { jobs[index].destination = request }
            }
        }
    }
}
