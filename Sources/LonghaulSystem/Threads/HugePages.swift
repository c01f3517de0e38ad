import CLinux
import LonghaulCore

/// Memory in huge pages, where the kernel has some: a disk fetches a piece of it in one part instead of hundreds.
package struct HugePages: @unchecked Sendable {
    // Safe: the address does not change, and whoever has the value says who writes where.
    package let start: UnsafeMutableRawPointer
    private let count: Int

    package static let pageSize = Int(LONGHAUL_HUGE_PAGE)

    /// `nil` when there is no memory left. It must be released.
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
