import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@Suite struct StoreTaskTests {
    private let world: StoreWorld

    init() throws {
        world = try StoreWorld()
    }

    private func record(_ name: String, endedAt: Int64? = nil) -> BackgroundTaskRecord {
        var record = BackgroundTaskRecord(identifier: name)
        if let endedAt {
            let date = WallTime(seconds: endedAt)
            record.last = BackgroundTaskResult(
                number: 1, startedAt: date, endedAt: date, outcome: .failed, message: "No.")
        } else {
            record.pending = .init(request: .appRefresh(name, repeats: .daily(hour: 12)), date: WallTime(seconds: 9))
            record.doneDay = LocalDay(-3)
        }
        return record
    }

    @Test func tasksAreKeptUntilTheyAreDeleted() throws {
        var settings = BackgroundTaskSettings()
        settings.enforcesAppleLimits = true
        var throttle = BackgroundTaskThrottle()
        throttle.strikes = 2
        do {
            let store = try world.open()
            #expect(
                try store.taskSettings() == BackgroundTaskSettings() && store.taskThrottle() == BackgroundTaskThrottle()
            )
            try store.transaction {
                for name in ["b", "a", "c"] { try store.setTask(record(name)) }
                try store.setTask(record("a", endedAt: 5))
                try store.setTaskSettings(settings)
                try store.setTaskThrottle(throttle)
            }
        }
        let store = try world.open()
        #expect(try store.tasks(after: nil, limit: 9) == [record("a", endedAt: 5), record("b"), record("c")])
        #expect(try store.tasks(after: "a", limit: 1) == [record("b")])
        #expect(try store.taskSettings() == settings && store.taskThrottle() == throttle)
        try store.transaction { try store.deleteTask("b") }
        #expect(try store.task("b") == nil && store.task("c") == record("c"))
    }

    @Test func onlyTheLastIdleOnesAreRemembered() throws {
        let store = try world.open()
        try store.transaction {
            try store.setTask(record("pending"))
            for number in 0..<130 { try store.setTask(record("idle \(number)", endedAt: Int64(number))) }
        }
        var names: [String] = []
        try store.forEachTask { names.append($0.identifier) }
        #expect(names.count == 101 && names.contains("pending"))
        #expect(!names.contains("idle 29") && names.contains("idle 30"))
    }

    @Test func uncommittedTaskIsNotKept() throws {
        let store = try world.open()
        try store.begin()
        try store.setTask(record("a"))
        try store.rollback()
        #expect(try store.task("a") == nil)
    }
}
