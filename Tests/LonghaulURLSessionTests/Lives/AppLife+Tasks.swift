import BackgroundTasks
import FoundationDouble
import Longhaul
import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulApple

/// A task of the system that the app runs.
struct LentTask: @unchecked Sendable {
    let task: BGTask
    /// A process that ends need not complete its tasks.
    var isOfPresentProcess = true
}

/// The system's starts of the app for its own tasks.
extension AppLife {
    func performTask(_ action: LifePlan.Action) async throws {
        switch action {
        case .schedule(let isRefresh): try await schedule(isRefresh)
        case .runTask(let isRefresh, let count, let expires, let dies):
            if phase != .foreground { try await runTask(isRefresh, count, expires: expires, dies: dies) }
        case .continueWork(let count, let expires):
            if phase == .foreground { try await continueWork(count, expires: expires) }
        default: break
        }
    }

    private func schedule(_ isRefresh: Bool) async throws {
        guard phase == .foreground, let made = scheduler.withLock({ $0 }) else { return }
        _ = try await call { _ in try await made.submit(isRefresh ? .appRefresh("noon") : .processing("night")) }
    }

    private func runTask(_ isRefresh: Bool, _ count: Int, expires: Bool, dies: Bool) async throws {
        let name = Self.tasks[isRefresh ? 0 : 1]
        guard BGTaskScheduler.shared.pending[name] != nil else { return }
        if phase == .dead { world.startInBackground() } else { device.enter(.background) }
        phase = .background
        guard let task = BGTaskScheduler.shared.launch(name) else { throw Fault("\(name) has no launch handler") }
        lent.append(LentTask(task: task))
        for _ in 0..<count {
            step()
            try await Task.sleep(for: .microseconds(200))
        }
        try await finish(task, expires: expires, dies: dies)
        if phase == .background {
            device.enter(.suspended)
            phase = .suspended
        }
    }

    private func finish(_ lent: BGTask, expires: Bool, dies: Bool) async throws {
        nonisolated(unsafe) let task = lent
        if dies {
            doubtForeground()
            return try await die()
        }
        if expires {
            try await world.wait("the task has an expiration handler") { task.expirationHandler != nil }
            task.expirationHandler?()
        }
        try await go("the task is completed") { task.completions > 0 }
    }

    private func continueWork(_ count: Int, expires: Bool) async throws {
        guard let work = work.withLock({ $0 }) else { return }
        _ = try await call { _ in try await work.begin(title: "Photos", subtitle: "All") }
        guard let name = BGTaskScheduler.shared.pending.keys.first(where: { $0.contains(".continued.") }),
            let task = BGTaskScheduler.shared.launch(name)
        else { return }
        lent.append(LentTask(task: task))
        for _ in 0..<count {
            step()
            try await Task.sleep(for: .microseconds(200))
        }
        if expires { try await finish(task, expires: true, dies: false) }
    }
}
