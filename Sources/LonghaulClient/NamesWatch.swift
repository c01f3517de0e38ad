import LonghaulSystem

/// Tells when a name appears in a directory.
final class NamesWatch: Sendable {
    private let watch: DirectoryWatch

    /// `nil` when the kernel has no watch left.
    init?(_ directory: String) {
        guard let watch = try? DirectoryWatch(directory, for: .appears) else { return nil }
        self.watch = watch
    }

    /// The kernel ends a watch when nobody can be looking at it any more, some 20 ms later. Nobody has to wait for that.
    deinit {
        NativeThread.detach { [watch] in withExtendedLifetime(watch) {} }
    }

    var descriptor: Descriptor { watch.descriptor }

    /// Forgets what it has told.
    func take() { watch.take() }
}
