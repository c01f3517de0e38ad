import TestSupport
import Testing

@testable import Longhaul

@Suite(.timeLimit(.minutes(5))) struct CallLockTests {
    private let gate = CallLock()

    @Test func callsPassTogether() async {
        await gate.enterCall()
        await gate.enterCall()
        gate.leaveCall()
        gate.leaveCall()
        await gate.beginMove()
        gate.endMove()
    }

    @Test func aMoveWaitsForCallsAndLaterCallsWaitForTheMove() async {
        let log = Mailbox<String>()
        await gate.enterCall()
        await withDiscardingTaskGroup { group in
            group.addTask { [gate] in
                await gate.beginMove()
                log.append("moves")
                // Long enough for a call that does not wait to be seen.
                for _ in 0..<1_000 { await Task.yield() }
                log.append("moved")
                gate.endMove()
            }
            for _ in 0..<1_000 { await Task.yield() }
            log.append("call ends")
            gate.leaveCall()
            group.addTask { [gate] in
                await gate.beginMove()
                log.append("moved again")
                gate.endMove()
            }
        }
        #expect(log.all == ["call ends", "moves", "moved", "moved again"])
    }

    @Test func callsAndMovesNeverDeadlock() async {
        let inside = Monitor((calls: 0, moves: 0))
        await withDiscardingTaskGroup { group in
            for number in 0..<2_000 {
                group.addTask { [gate] in
                    if number % 10 == 0 {
                        await gate.beginMove()
                        inside.update { inside in
                            inside.moves += 1
                            #expect(inside.calls == 0 && inside.moves == 1)
                        }
                        await Task.yield()
                        inside.update { $0.moves -= 1 }
                        gate.endMove()
                    } else {
                        await gate.enterCall()
                        inside.update { inside in
                            inside.calls += 1
                            #expect(inside.moves == 0)
                        }
                        await Task.yield()
                        inside.update { $0.calls -= 1 }
                        gate.leaveCall()
                    }
                }
            }
        }
    }
}
