// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple documents what these are, on the page that each `Source` names.
#if !DECLARATIONS
    import BackgroundTasks
#endif
@_exported public import Foundation
@_exported public import Observation
import Synchronization

// Source: swiftui/scene, swiftui/scene/body-swift.property
@available(macOS 11.0, iOS 14.0, *)
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

@available(macOS 11.0, iOS 14.0, *)
extension Never: Scene {
    // Source: swift/never
    public var body: Never { fatalError("it has no body") }
}

// Source: swiftui/scenebuilder, swiftui/scenebuilder/buildblock(_:)
@available(macOS 11.0, iOS 14.0, *)
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

// Source: swiftui/windowgroup, swiftui/windowgroup/init(makecontent:)
@available(macOS 11.0, iOS 14.0, *)
public struct WindowGroup<Content: View>: Scene {
    private nonisolated(unsafe) let makeContent: () -> Content
    public nonisolated init(@ViewBuilder makeContent: @escaping () -> Content) { self.makeContent = makeContent }
    public var body: Never { fatalError("it has no body") }
}

@available(macOS 11.0, iOS 14.0, *)
extension WindowGroup: WindowScene {
    func show(on canvas: Canvas) { canvas.redraw(makeContent()) }
}

// Source: swiftui/app, swiftui/app/body-swift.property, swiftui/app/init()
@available(macOS 11.0, iOS 14.0, *)
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
    @MainActor @preconcurrency init()
}

@available(macOS 11.0, iOS 14.0, *)
extension App {
    // Source: swiftui/app/main()
    @MainActor @preconcurrency public static func main() { fatalError("only declared") }
}

// Source: swiftui/backgroundtask
@available(macOS 13.0, iOS 16.0, *)
public struct BackgroundTask<Request, Response>: Sendable {
    let name: String
    var isScheduled = false
}

@available(macOS 13.0, iOS 16.0, *)
extension BackgroundTask where Request == Void, Response == Void {
    // Source: swiftui/backgroundtask/apprefresh(_:)
    @available(macOS, unavailable)
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(name: identifier, isScheduled: true)
    }
    // Source: swiftui/backgroundtask/processingtask(_:)
    @available(iOS 27.0, *)
    @available(macOS, unavailable)
    public static func processingTask(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(name: identifier, isScheduled: true)
    }
    // Source: swiftui/backgroundtask/urlsession(_:)
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(name: identifier)
    }
}

@available(macOS 11.0, iOS 14.0, *)
extension Scene {
    // Source: swiftui/scene/backgroundtask(_:action:)
    @available(macOS 13.0, iOS 16.0, *)
    public nonisolated func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene {
        if let action = action as? @Sendable (()) async -> Void {
            BackgroundActions.register(task.name, task.isScheduled) { await action(()) }
        }
        return SceneWithTask(self)
    }
}

struct SceneWithTask<Content: Scene>: Scene, ModifiedScene {
    private nonisolated(unsafe) let content: Content
    nonisolated init(_ content: Content) { self.content = content }
    var body: Never { fatalError("it has no body") }
    var group: (any WindowScene)? { content as? any WindowScene ?? (content as? any ModifiedScene)?.group }
}

/// Double only: the declared background tasks of scenes for sessions of the system. Those for other tasks have their launch handlers in
/// the system's scheduler.
public enum BackgroundActions {
    private static let actions = Mutex<[String: @Sendable () async -> Void]>([:])

    static func register(_ name: String, _ isScheduled: Bool, _ action: @escaping @Sendable () async -> Void) {
        guard isScheduled else { return actions.withLock { $0[name] = action } }
        #if !DECLARATIONS
            BGTaskScheduler.shared.registerScene(name) { task in
                nonisolated(unsafe) let task = task
                let run = Task {
                    await action()
                    task.setTaskCompleted(success: true)
                }
                task.expirationHandler = { run.cancel() }
            }
        #endif
    }

    /// Double only: the system starts one of them. Returns `false` if the app has not declared it.
    @discardableResult
    public static func run(_ name: String) async -> Bool {
        guard let action = actions.withLock({ $0[name] }) else { return false }
        await action()
        return true
    }

    /// Double only: another process is launched.
    public static func beginLaunch() { actions.withLock { $0 = [:] } }

    /// Double only: the names of the declared tasks.
    public static var names: [String] { actions.withLock { $0.keys.sorted() } }
}
