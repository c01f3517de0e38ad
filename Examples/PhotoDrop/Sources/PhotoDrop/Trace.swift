import DesktopKit
import Glibc

/// With PHOTO_DROP_TRACE in the environment: how long after the window appeared the first news of each photo stood there.
enum Trace {
    private static var appeared: ContinuousClock.Instant?
    private static var noted: Set<TransferID> = []

    static func windowAppeared() {
        if getenv("PHOTO_DROP_TRACE") != nil, appeared == nil { appeared = .now }
    }

    static func note(_ photos: [TransferSnapshot]) {
        guard let appeared else { return }
        for photo in photos where noted.insert(photo.id).inserted {
            print("\(photo.name) \(PhotoText(photo).line) | \(appeared.duration(to: .now) / .milliseconds(1)) ms")
        }
        fflush(nil)
    }
}
