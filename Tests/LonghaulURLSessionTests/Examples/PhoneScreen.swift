import Foundation
import LonghaulApple
import PhotosUI
import SwiftUI

/// The display of a device, and the code of one installed app. `Testing` has overlays for frameworks with these names, so this file does
/// not import it.
@MainActor final class PhoneScreen {
    /// Creates the app, as the system does at each launch.
    private let make: @MainActor () -> (app: Any, scene: any Scene)
    private var scene: (any Scene)?
    private var window: Window?

    nonisolated init<Example: App>(_ app: Example.Type) {
        make = {
            let app = Example()
            return (app, app.body)
        }
    }

    /// Launches the app in a simulated process, and returns the session that it has created.
    nonisolated func launch(in surroundings: AppSurroundings) -> AppSession {
        let launch: @MainActor () -> AppSession = { [self] in
            AppSurroundings.simulated = surroundings
            defer { AppSurroundings.simulated = nil }
            BackgroundActions.beginLaunch()
            let (app, scene) = make()
            self.scene = scene
            guard let session = Mirror(reflecting: app).children.firstNonNil({ $0.value as? AppSession }) else {
                preconditionFailure("\(type(of: app)) has no property with its AppSession")
            }
            return session
        }
        if Thread.isMainThread { return MainActor.assumeIsolated(launch) }
        return DispatchQueue.main.sync { MainActor.assumeIsolated(launch) }
    }

    /// Shows the app's window.
    func show() {
        if window == nil { window = scene.flatMap { Window(of: $0) } }
    }

    func endProcess() {
        window?.close()
        (window, scene) = (nil, nil)
    }

    var texts: [String] { elements(.text) }
    var buttons: [String] { elements(.button) }
    var progress: [Double?] {
        window?.items.compactMap { item in
            if case .progress(let fraction) = item.kind { .some(fraction) } else { nil }
        } ?? []
    }

    private func elements(_ kind: WindowItem.Kind) -> [String] {
        window?.items.filter { $0.kind == kind }.map(\.text) ?? []
    }

    func tap(_ title: String, beside text: String?) -> Bool { window?.tap(title, beside: text) ?? false }

    func choose(_ file: String) { PhotoLibrary.choice = URL(fileURLWithPath: file) }
}

extension Sequence {
    fileprivate func firstNonNil<Found>(_ transform: (Element) -> Found?) -> Found? {
        for element in self {
            if let found = transform(element) { return found }
        }
        return nil
    }
}

extension Phone {
    /// A device with the app `<directory>App`.
    convenience init<Example: App>(_ app: Example.Type) async throws {
        try await self.init(String("\(app)".dropLast(3)), PhoneScreen(app))
    }
}
