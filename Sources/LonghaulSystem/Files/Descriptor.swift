#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value with an owned or borrowed file descriptor.
package protocol OpenFile: Sendable {
    var number: Int32 { get }
}

/// An owned file descriptor, which is closed with the last reference.
package final class Descriptor: OpenFile {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Fails if the file system did not accept written bytes: some report that only when a file is closed.
    package func finish() throws(SystemError) {
        let copy = try checked { dup(number) }
        guard close(copy) == 0 else { throw SystemError(errno) }
    }
}

/// A descriptor with another owner, such as standard input.
package struct LentDescriptor: OpenFile {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    package static let standardInput = LentDescriptor(STDIN_FILENO)
    package static let standardOutput = LentDescriptor(STDOUT_FILENO)
    package static let standardError = LentDescriptor(STDERR_FILENO)
}

extension Descriptor {
    /// The mode for opening a file. Child processes never inherit the descriptor.
    @usableFromInline package struct Opening: OptionSet, Sendable {
        @usableFromInline package let rawValue: Int32

        @inlinable package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        @inlinable package static var reading: Opening { Opening(rawValue: O_RDONLY) }
        @inlinable package static var writing: Opening { Opening(rawValue: O_WRONLY) }
        @inlinable package static var both: Opening { Opening(rawValue: O_RDWR) }
        @inlinable package static var appending: Opening { Opening(rawValue: O_APPEND) }
        /// Creates a missing file.
        @inlinable package static var making: Opening { Opening(rawValue: O_CREAT) }
        /// With `making`: fails if the file exists.
        @inlinable package static var new: Opening { Opening(rawValue: O_CREAT | O_EXCL) }
        @inlinable package static var emptied: Opening { Opening(rawValue: O_TRUNC) }
        /// Fails for a symbolic link.
        @inlinable package static var noLink: Opening { Opening(rawValue: O_NOFOLLOW) }
        /// Does not block, even if a pipe has no other end yet.
        @inlinable package static var atOnce: Opening { Opening(rawValue: O_NONBLOCK | O_NOCTTY) }
        @inlinable package static var directory: Opening { Opening(rawValue: O_DIRECTORY) }
    }

    /// Opens a file. A new file is accessible only to its owner unless `permissions` say otherwise.
    package convenience init(
        opening path: String, _ opening: Opening, permissions: UInt32 = 0o600
    ) throws(SystemError) {
        self.init(
            try checked { open(path, opening.rawValue | O_CLOEXEC, mode_t(truncatingIfNeeded: permissions)) })
    }

    /// Creates a pipe.
    package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        let ends = try makePipe()
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }
}

extension OpenFile {
    /// Returns another descriptor of the same open file.
    package func duplicate() throws(SystemError) -> Descriptor {
        Descriptor(try checked { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }
}

private func makePipe() throws(SystemError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    try checked { pipe(&ends) }
    return ends
}
