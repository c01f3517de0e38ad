import TestSupport
import Testing

@testable import Longhaul

@Suite(.timeLimit(.minutes(5))) struct CallLockTests {
    private let lock = CallLock()

    @Test func callsPassTogether() async {
        await lock.enterCall()
        await lock.enterCall()
        lock.exitCall()
        lock.exitCall()
        await lock.beginMove()
        lock.endMove()
    }

    @Test func aMoveWaitsForCallsAndLaterCallsWaitForTheMove() async {
        let log = Mailbox<String>()
        await lock.enterCall()
        await withDiscardingTaskGroup { group in
            group.addTask { [lock] in
                await lock.beginMove()
                log.append("moves")
                // Long enough for a call that does not wait to be seen.
                for _ in 0..<1_000 { await Task.yield() }
                log.append("moved")
                lock.endMove()
            }
            for _ in 0..<1_000 { await Task.yield() }
            log.append("call ends")
            lock.exitCall()
            group.addTask { [lock] in
                await lock.beginMove()
                log.append("moved again")
                lock.endMove()
            }
        }
        #expect(log.all == ["call ends", "moves", "moved", "moved again"])
    }

    @Test func callsAndMovesNeverDeadlock() async {
        let inside = Monitor((calls: 0, moves: 0))
        await withDiscardingTaskGroup { group in
            for number in 0..<2_000 {
                group.addTask { [lock] in
                    if number % 10 == 0 {
                        await lock.beginMove()
                        inside.update { inside in
                            inside.moves += 1
                            #expect(inside.calls == 0 && inside.moves == 1)
                        }
                        await Task.yield()
                        inside.update { $0.moves -= 1 }
                        lock.endMove()
                    } else {
                        await lock.enterCall()
                        inside.update { inside in
                            inside.calls += 1
                            #expect(inside.moves == 0)
                        }
                        await Task.yield()
                        inside.update { $0.calls -= 1 }
                        lock.exitCall()
                    }
                }
            }
        }
    }
}
