import UIKit

/// The end of an app as the system announces it.
extension Screen {
    /// Posts the notification. The system ends the process when this returns, or about five seconds after the call.
    static func announceTermination() async { await MainActor.run { UIApplication.shared.terminate() } }
}
