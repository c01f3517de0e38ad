// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are; `Tests/AppleDoubles/sources.md` says where.
@_exported public import Foundation
@_exported public import Observation
import Synchronization

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Scene {
    public var body: Never { fatalError("it has no body") }
}

@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency public protocol View {}

public struct Text: View {
    public nonisolated init(_ text: String) {}
}

public struct WindowGroup<Content: View>: Scene {
    public init(makeContent: () -> Content) { _ = makeContent() }
    public var body: Never { fatalError("it has no body") }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
    @MainActor @preconcurrency init()
}

public struct BackgroundTask<Request, Response>: Sendable {
    let name: String
}

extension BackgroundTask where Request == Void, Response == Void {
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(name: "refresh " + identifier)
    }
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(name: "session " + identifier)
    }
}

extension Scene {
    public nonisolated func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene {
        if let action = action as? @Sendable (()) async -> Void {
            BackgroundActions.register(task.name) { await action(()) }
        }
        return SceneWithTask(self)
    }
}

struct SceneWithTask<Content: Scene>: Scene {
    nonisolated init(_ content: Content) {}
    var body: Never { fatalError("it has no body") }
}

/// Double only: the declared background tasks of scenes.
public enum BackgroundActions {
    private static let actions = Mutex<[String: @Sendable () async -> Void]>([:])

    static func register(_ name: String, _ action: @escaping @Sendable () async -> Void) {
        actions.withLock { $0[name] = action }
    }

    /// Double only: the system starts one of them.
    public static func run(_ name: String) async { await actions.withLock { $0[name] }?() }

    /// Double only: the names of the declared tasks.
    public static var names: [String] { actions.withLock { $0.keys.sorted() } }
}
