package import LonghaulCore
import LonghaulSystem

/// What is outside this process, apart from networks and files: the wall clock, chance, and which boot this is. The only
/// place where a session's loop gets them from, whoever runs it.
extension RuntimeEnvironment {
    package static func real(
        makeEngine: @escaping @Sendable (SessionLayout, @escaping EngineSink) throws(TransferFailure) -> Engine
    ) -> RuntimeEnvironment {
        let chance = Chance()
        var environment = RuntimeEnvironment(
            now: SystemClock.wallTime, random: { chance.draw() }, bootID: Machine.bootID, makeEngine: makeEngine)
        environment.zone = SystemClock.zone
        environment.room = .process
        return environment
    }
}
