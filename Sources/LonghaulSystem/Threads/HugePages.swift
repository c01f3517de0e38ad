import CPlatform
import LonghaulCore

/// Memory in huge pages, if the kernel has any: a disk then reads a chunk in one part instead of hundreds.
package struct HugePages: @unchecked Sendable {
    // Safe: the address does not change, and the owner of the value synchronizes writes.
    package let start: UnsafeMutableRawPointer
    private let count: Int

    package static let pageSize = Int(LONGHAUL_HUGE_PAGE)

    /// Allocates pages, which must be released; `nil` if memory is exhausted.
    package init?(_ count: Int) {
        guard let start = longhaul_map_pieces(count) else { return nil }
        self.start = start
        self.count = count
    }

    package var byteCount: Int { count * Self.pageSize }

    package func release() {
        longhaul_unmap_pieces(start, count)
    }
}
