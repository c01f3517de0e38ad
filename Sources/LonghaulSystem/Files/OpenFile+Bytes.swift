import CPlatform
import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension OpenFile {
    /// Reads the next bytes. Returns their number, 0 at the end.
    package func read(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try systemRead(number, room)
    }

    /// Reads bytes at an offset. Returns their number, 0 at the end of the file.
    package func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try checked { pread(number, room.baseAddress, room.count, off_t(offset)) }
    }

    /// Returns this many bytes at an offset; `nil` if fewer exist or can be read.
    package func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        var isComplete = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // The caller does not need the reason.
            isComplete = (try? read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) == count
            filled = isComplete ? count : 0
        }
        return isComplete ? bytes : nil
    }

    /// Returns the next byte; `nil` at the end.
    package func nextByte() throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        return try checked { systemReadByte(number, &byte) } == 1 ? byte : nil
    }

    /// Reads to the end. Fails with `fileTooLarge` beyond `limit` bytes.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        while try append(to: &content) {
            guard content.count <= limit else { throw .fileTooLarge }
        }
        return content
    }

    /// Reads the next bytes, at most `limit`.
    package func readBeginning(limit: Int) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < limit, try append(to: &content) {}
        return Array(content.prefix(limit))
    }

    /// Appends the next bytes, at most 64 KiB. Returns `false` at the end.
    package func append(to content: inout [UInt8]) throws(SystemError) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        let count = try read(into: room)
        content += room[..<count]
        return count > 0
    }

    /// Writes all bytes. Waits if the file accepts none now.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            do throws(SystemError) {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(try systemWrite(number, rest)))
            } catch {
                guard error == .wouldBlock else { throw error }
                PollSet.wait([(number, .writable)], milliseconds: -1)
            }
        }
    }

    /// Writes the bytes of an array.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    /// Writes text, with one call if the file accepts it.
    package func write(_ text: String) throws(SystemError) {
        try write(Array(text.utf8))
    }

    /// Replaces the content of the file with a text.
    package func replaceContent(with text: String) throws(SystemError) {
        try truncate(to: 0)
        try checked { pwrite(number, text, text.utf8.count, 0) }
    }

    /// Syncs the file to stable storage. Returns the error of a file system that does not support that. Throws an error
    /// that means lost bytes.
    @discardableResult
    package func sync() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try value(longhaul_sync(number)) }
    }

    /// Truncates or extends the file.
    package func truncate(to length: Int64) throws(SystemError) {
        try checked { ftruncate(number, off_t(length)) }
    }

    /// Returns the status of the open file.
    package func status() throws(SystemError) -> FileStatus {
        try FileStatus(of: self)
    }
}

/// Performs an operation. Returns the error of a file system that refuses it (`SystemError.isRefusedOperation`).
package func refusal(_ operation: () throws(SystemError) -> Void) throws(SystemError) -> SystemError? {
    do throws(SystemError) {
        try operation()
        return nil
    } catch {
        guard error.isRefusedOperation else { throw error }
        return error
    }
}

// Separate functions, because the methods above have the names of libc functions.

private func systemRead(_ number: Int32, _ room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try checked { read(number, room.baseAddress, room.count) }
}

private func systemReadByte(_ number: Int32, _ byte: inout UInt8) -> Int {
    read(number, &byte, 1)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try checked { write(number, bytes.baseAddress, bytes.count) }
}
