import Synchronization
import Testing

/// The simulated apps of the present test that are still running. A test that fails does not end them, and their processes would create
/// sessions on the device of the next test.
enum OpenWorlds {
    private struct World: Sendable {
        let id: ObjectIdentifier
        let close: @Sendable () async -> Void
    }

    private static let worlds = Mutex<[World]>([])

    /// Adds a world, which lives at least until it is closed.
    static func add(_ world: some AnyObject & Sendable, closing close: @escaping @Sendable () async -> Void) {
        worlds.withLock { $0.append(World(id: ObjectIdentifier(world), close: close)) }
    }

    /// Removes a world that has ended.
    static func remove(_ world: AnyObject) {
        worlds.withLock { $0.removeAll { $0.id == ObjectIdentifier(world) } }
    }

    /// Closes all worlds. A world that uses another one was added after that.
    static func close() async {
        let open = worlds.withLock { worlds in
            defer { worlds = [] }
            return worlds
        }
        for world in open.reversed() { await world.close() }
    }
}

/// Closes the worlds that a test has left open.
struct ClosingWorlds: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        do {
            try await function()
        } catch {
            await OpenWorlds.close()
            throw error
        }
        await OpenWorlds.close()
    }
}

extension Trait where Self == ClosingWorlds {
    static var closingWorlds: Self { Self() }
}
