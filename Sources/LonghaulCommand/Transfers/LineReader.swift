import LonghaulCore
import LonghaulSystem

/// Reads the lines of a file or a pipe one by one, in memory that does not grow with the file.
struct LineReader: ~Copyable {
    private let file: any OpenFile
    private let name: String
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// A longer line is no line of a list.
    private static let limit = 1 << 20

    init(_ file: any OpenFile, name: String) {
        self.file = file
        self.name = name
    }

    /// The next line without its end; `nil` after the last one or when the task is cancelled.
    mutating func next() throws(TransferFailure) -> String? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return String(decoding: buffer[position..<end], as: UTF8.self)
            }
            if isAtEnd {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return String(decoding: buffer[position...], as: UTF8.self)
            }
            guard buffer.count - position < Self.limit else {
                throw .usage("\(name) has a line longer than \(HumanText.bytes(Int64(Self.limit))).")
            }
            buffer.removeFirst(position)
            position = 0
            searched = buffer.count
            guard try fill() else { return nil }
        }
    }

    private mutating func fill() throws(TransferFailure) -> Bool {
        // A user may be typing: waiting in short steps lets a cancelled task end.
        while PollSet.wait([(file.number, .readable)], milliseconds: 100)[0].isEmpty {
            if Task.isCancelled { return false }
        }
        do throws(SystemError) {
            isAtEnd = try !file.append(to: &buffer)
        } catch .wouldBlock {
            return true
        } catch {
            throw TransferFailure(
                .sourceUnreadable, tr("Cannot read \(name): \(LocalFiles.reason(error))."), origin: error.origin)
        }
        return true
    }
}
