import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension OpenFile {
    /// Reads what comes next: how many bytes, 0 at the end.
    package func read(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try systemRead(number, room)
    }

    /// Reads bytes from a place in the file: how many, 0 at its end.
    package func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try checked { pread(number, room.baseAddress, room.count, off_t(offset)) }
    }

    /// So many bytes from a place in the file; `nil` when they are not all there or cannot be read.
    package func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        var isComplete = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Why it cannot be read does not matter to whoever asks this way.
            isComplete = (try? read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) == count
            filled = isComplete ? count : 0
        }
        return isComplete ? bytes : nil
    }

    /// The next byte; `nil` at the end.
    package func nextByte() throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        return try checked { systemReadByte(number, &byte) } == 1 ? byte : nil
    }

    /// Reads to the end; what has more than `limit` bytes is refused as too large.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        while try append(to: &content) {
            guard content.count <= limit else { throw .fileTooLarge }
        }
        return content
    }

    /// Reads what comes next, `limit` bytes at most.
    package func readBeginning(limit: Int) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < limit, try append(to: &content) {}
        return Array(content.prefix(limit))
    }

    /// Reads what comes next, 64 KiB at most, behind what was read before. False at the end.
    package func append(to content: inout [UInt8]) throws(SystemError) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        let count = try read(into: room)
        content += room[..<count]
        return count > 0
    }

    /// Writes all of it. Where nothing can be taken now it waits.
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

    /// The same for bytes in an array.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    /// Writes text in one go where the file takes it.
    package func write(_ text: String) throws(SystemError) {
        try write(Array(text.utf8))
    }

    /// Puts a text in the place of what is in the file.
    package func replaceContent(with text: String) throws(SystemError) {
        try truncate(to: 0)
        try checked { pwrite(number, text, text.utf8.count, 0) }
    }

    /// Brings the file to stable storage. Returns the error of a file system that does not do that, and throws one that means
    /// lost bytes.
    @discardableResult
    package func sync() throws(SystemError) -> SystemError? {
        try refusal { () throws(SystemError) in try checked { fsync(number) } }
    }

    /// Cuts the file short, or makes it longer.
    package func truncate(to length: Int64) throws(SystemError) {
        try checked { ftruncate(number, off_t(length)) }
    }

    /// What is known of the open file.
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

// Under other names, since the methods above have those of libc.

private func systemRead(_ number: Int32, _ room: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try checked { read(number, room.baseAddress, room.count) }
}

private func systemReadByte(_ number: Int32, _ byte: inout UInt8) -> Int {
    read(number, &byte, 1)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try checked { write(number, bytes.baseAddress, bytes.count) }
}
