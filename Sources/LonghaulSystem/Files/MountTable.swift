import LonghaulCore

/// The mounts that this process sees (`/proc/self/mountinfo`, proc_pid_mountinfo(5)).
package struct MountTable: Sendable {
    fileprivate struct Mount: Sendable {
        var point: String
        /// Whether the mount only triggers another one on access.
        var isAutomount: Bool
    }

    private let mounts: [Mount]

    /// Fails with `missing` if the system does not list its mounts.
    package static func current() throws(SystemError) -> MountTable {
        MountTable(try Descriptor(opening: "/proc/self/mountinfo", .reading).readAll(limit: 64 << 20))
    }

    package init(_ text: [UInt8]) {
        mounts = text.split(separator: UInt8(ascii: "\n")).compactMap { Mount($0) }
    }

    package func isMounted(_ point: String) -> Bool { mounts.contains { $0.point == point && !$0.isAutomount } }

    /// Returns the mount point of a path without links; `nil` if it is not mounted yet.
    package func mountPoint(of path: String) -> String? {
        // Of two mounts at one point, the later one hides the other.
        let holder = mounts.filter { $0.holds(path) }.enumerated().max {
            ($0.element.point.utf8.count, $0.offset) < ($1.element.point.utf8.count, $1.offset)
        }
        return holder.flatMap { $0.element.isAutomount ? nil : $0.element.point }
    }
}

extension MountTable.Mount {
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "))
        // A hyphen ends a variable number of optional fields.
        guard fields.count > 6, let end = fields[6...].firstIndex(of: [UInt8(ascii: "-")]), end + 1 < fields.count
        else { return nil }
        point = Self.unescaped(fields[4])
        isAutomount = fields[end + 1].elementsEqual("autofs".utf8)
    }

    fileprivate func holds(_ path: String) -> Bool {
        point == "/" || path == point || path.utf8.starts(with: (point + "/").utf8)
    }

    /// Space, tab, newline, and backslash are encoded as a backslash with three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
