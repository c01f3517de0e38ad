import LonghaulSystem

/// A watch for new names in a directory.
final class NamesWatch: Sendable {
    private let watch: DirectoryWatch

    /// `nil` if the kernel has no watch left.
    init?(_ directory: String) {
        guard let watch = try? DirectoryWatch(directory, for: .appears) else { return nil }
        self.watch = watch
    }

    /// The kernel takes some 20 ms to remove a watch. A separate thread waits for that.
    deinit {
        NativeThread.detach { [watch] in withExtendedLifetime(watch) {} }
    }

    var descriptor: Descriptor { watch.descriptor }

    /// Discards the pending events.
    func clearEvents() { watch.readEvents() }
}
