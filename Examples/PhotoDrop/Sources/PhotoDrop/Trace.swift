import DesktopKit
import Glibc

/// If PHOTO_DROP_TRACE is in the environment, prints the time from the window's appearance to the first state of each photo.
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
