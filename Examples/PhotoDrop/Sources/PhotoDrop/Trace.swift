import DesktopKit
import Glibc

/// With PHOTO_DROP_TRACE in the environment: when the window appeared, and how long after it each photo's first progress
/// stood there. Tests and curious people read it on standard output.
enum Trace {
    private static let isOn = getenv("PHOTO_DROP_TRACE") != nil
    private static var appeared: ContinuousClock.Instant?
    private static var noted: Set<TransferID> = []

    static func windowAppeared() {
        if isOn, appeared == nil { appeared = .now }
    }

    static func note(_ photos: [TransferSnapshot]) {
        guard isOn, let appeared else { return }
        for photo in photos where noted.insert(photo.id).inserted {
            let after = appeared.duration(to: .now)
            print("\(photo.name) \(Words(photo).line) | \(photo.bytesDone) bytes, \(after / .milliseconds(1)) ms")
        }
        fflush(nil)
    }
}
