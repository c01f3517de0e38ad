import Glibc
import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulService

/// Changes of the surroundings from several threads reach the sessions in one order.
@Suite struct TrafficShaperTests {
    private static let session = SessionID("org.example.films")!

    private static func surroundings(_ isExpensive: Bool?) -> Surroundings {
        var surroundings = Surroundings()
        surroundings.conditions.isExpensive = isExpensive
        return surroundings
    }

    /// The first notification is slow, while another thread has a change.
    @Test func theLatestIsHeardLast() async throws {
        let board = TrafficShaper(Surroundings())
        _ = board.surroundings(for: Self.session)
        let told = Mutex<[Surroundings]>([])
        let isTelling = Mutex(false)
        let hasNews = Mutex(false)
        board.setTell { _, surroundings in
            if surroundings.conditions.isExpensive == false {
                isTelling.withLock { $0 = true }
                for _ in 0..<200 where !hasNews.withLock({ $0 }) { usleep(1_000) }
            }
            told.withLock { $0.append(surroundings) }
        }
        let first = Task.detached { board.set(Self.surroundings(false)) }
        while !isTelling.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        await Task.detached {
            board.set(Self.surroundings(true))
            hasNews.withLock { $0 = true }
        }
        .value
        await first.value
        #expect(told.withLock { $0.map(\.conditions.isExpensive) } == [false, true])
    }

    @Test func changeDuringOpeningIsReported() {
        let board = TrafficShaper(Surroundings())
        let isOpen = Atomic(false)
        let told = Mutex<[Surroundings]>([])
        board.setTell { _, surroundings in
            if isOpen.load(ordering: .relaxed) { told.withLock { $0.append(surroundings) } }
        }
        _ = board.surroundings(for: Self.session)
        board.set(Self.surroundings(true))
        isOpen.store(true, ordering: .relaxed)
        board.recordOpen(Self.session)
        #expect(told.withLock { $0.map(\.conditions.isExpensive) } == [true])
    }
}
