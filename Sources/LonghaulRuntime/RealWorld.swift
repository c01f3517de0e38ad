package import LonghaulCore
import LonghaulSystem

/// The world outside this process, apart from networks and files: the wall clock, randomness, and the boot ID. Every session's loop
/// gets them only from here.
extension RuntimeEnvironment {
    package static func real(
        makeEngine: @escaping @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> Engine
    ) -> RuntimeEnvironment {
        let chance = Chance()
        var environment = RuntimeEnvironment(
            now: SystemClock.wallTime, random: { chance.draw() }, bootID: Machine.bootID, makeEngine: makeEngine)
        environment.sinceBoot = SystemClock.sinceBoot
        environment.zone = SystemClock.zone
        environment.room = .process
        return environment
    }
}
