import Foundation
import LonghaulApple
import UIKit

/// An app whose observer of the lifecycle runs on the main actor. The system ends the app by a source of the main run loop, as UIKit
/// does: a nested run loop serves the main actor only outside of blocks of the main queue. Exits with 0 if the observer had finished when
/// the notification returned.
@main
struct TerminationSample {
    @MainActor private static var hasHandled = false

    @MainActor static func main() {
        let lifecycle = ProcessLifecycle()
        let events = lifecycle.events()
        Task { await lifecycle.run(AppLifecycle()) }
        Task {
            for await event in events {
                guard case .willTerminate = event else { continue }
                // It continues on the main actor after other work.
                await Task.detached {}.value
                try? await Task.sleep(for: .milliseconds(20))
                hasHandled = true
            }
        }
        let timer = Timer(timeInterval: 0.01, repeats: true) { _ in
            MainActor.assumeIsolated {
                // The app follows its lifecycle.
                guard lifecycle.state == .active else { return }
                UIApplication.shared.terminate()
                exit(hasHandled ? 0 : 1)
            }
        }
        RunLoop.main.add(timer, forMode: .default)
        RunLoop.main.run()
    }
}
