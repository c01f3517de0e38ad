import Glibc

/// Owns a file descriptor: it is closed when the last owner lets go.
package final class Descriptor: Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
