import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulConditions

/// The user's settings after their file was damaged, in the service (which repairs them) and in an app (which reads them).
@Suite struct SettingsFileTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func service() -> ConditionsController {
        ConditionsController(stateDirectory: place.path, watchesSettings: false)
    }

    private func app() -> ConditionsController {
        ConditionsController(stateDirectory: place.path, watchesSettings: true)
    }

    private static let limits = TrafficLimits(rateLimit: 1_000, budget: DataBudget(bytesPerMonth: 5_000))

    /// Stores settings and returns the bytes of their file.
    private func store() throws -> [UInt8] {
        try service().change { settings in
            settings.traffic = Self.limits
            settings.override.isExpensive = true
        }
        return try place.read("settings")
    }

    /// The damages of a file: every length that is too short, and content of another kind.
    private static func damages(of sound: [UInt8]) -> [[UInt8]] {
        (0..<sound.count).map { Array(sound.prefix($0)) }
            + [Array(repeating: 0, count: sound.count), Array(repeating: 0xFF, count: 5_000)]
    }

    @Test func damagedSettingsAreRestoredFromCopy() throws {
        let sound = try store()
        for damage in Self.damages(of: sound) {
            try place.write(damage, to: "settings")
            #expect(app().surroundings().traffic == Self.limits)
            let controller = service()
            #expect(controller.surroundings().traffic == Self.limits, "\(damage.count) bytes")
            #expect(controller.surroundings().conditions.isExpensive == true)
            let report = try #require(controller.damage)
            #expect(report.code == .storeDamaged && report.message.contains("restored from their copy"))
            #expect(try place.read("settings") == sound)
            try controller.acknowledgeDamage()
            for controller in [controller, service()] {
                #expect(controller.damage == nil && controller.surroundings().traffic == Self.limits)
                #expect(controller.report().override.isExpensive == true, "the user's own")
            }
        }
    }

    @Test func lostSettingsUseNoMeteredDataUntilAcknowledged() throws {
        let sound = try store()
        for damage in Self.damages(of: sound) {
            try place.write(damage, to: "settings")
            try place.write([], to: "settings.copy")
            for controller in [app(), service(), service()] {
                let surroundings = controller.surroundings()
                #expect(surroundings.conditions.isExpensive == true, "\(damage.count) bytes")
                #expect(surroundings.traffic.budget == DataBudget(bytesPerDay: 0, bytesPerMonth: 0))
            }
            let controller = service()
            let report = try #require(controller.damage)
            #expect(report.code == .storeDamaged && report.message.contains("are lost"))
            try controller.acknowledgeDamage()
            for controller in [controller, service(), app()] {
                #expect(controller.damage == nil)
                #expect(controller.surroundings().conditions.isExpensive == nil)
                #expect(controller.surroundings().traffic == TrafficLimits())
            }
        }
    }

    @Test func changeWhileSettingsAreLostKeepsReport() throws {
        _ = try store()
        try place.write([], to: "settings")
        try place.write([], to: "settings.copy")
        let controller = service()
        try controller.change { $0.traffic = Self.limits }
        #expect(controller.surroundings().conditions.isExpensive == true)
        #expect(controller.surroundings().traffic.budget.bytesPerMonth == 0)
        #expect(controller.trafficReport().limits == Self.limits, "commands change what they read")
        #expect(service().damage?.code == .storeDamaged)
        try controller.acknowledgeDamage()
        #expect(controller.surroundings().conditions.isExpensive == nil)
        #expect(service().surroundings().traffic == Self.limits, "the user's own limits stay")
    }

    @Test func lossIsReportedAfterQuarantinedFileIsMoved() throws {
        _ = try store()
        for name in ["settings", "settings.copy"] { try place.write([], to: name) }
        _ = service()
        for name in Directory.names(in: place.path) where name.contains(".damaged-") { Files.discard(place.path(name)) }
        let controller = service()
        #expect(controller.damage?.message.contains("are lost") == true)
        try controller.acknowledgeDamage()
        #expect(controller.damage == nil && service().damage == nil)
    }

    @Test func crashAfterQuarantineLosesNothingMore() throws {
        _ = try store()
        let file = DamagedFiles(of: place.path("settings"))
        try place.write([], to: "settings.copy")
        try file.setAside(at: WallTime(seconds: 1_800_000_000)) { "damaged, see \($0)" }
        let controller = service()
        #expect(controller.surroundings().traffic.budget.bytesPerMonth == 0)
        #expect(controller.damage?.message == "damaged, see \(place.path)/settings.damaged-20270115T080000Z")
    }

    @Test func settingsThatCannotBeRepairedAreReported() throws {
        _ = try store()
        try place.write([], to: "settings")
        // The report has no place.
        try place.makeDirectory("settings.damaged-20270115T080000Z.txt")
        let (settings, unrepaired) = SettingsFile(in: place.path).open(
            repairs: true, at: WallTime(seconds: 1_800_000_000))
        #expect(settings.traffic == Self.limits)
        #expect(unrepaired?.code == .storeDamaged && unrepaired?.message.contains("repair failed") == true)
    }

    @Test func noSettingsAreNoDamage() throws {
        for controller in [app(), service()] {
            #expect(controller.damage == nil)
            #expect(controller.surroundings().traffic == TrafficLimits())
            #expect(controller.surroundings().conditions.isExpensive == nil)
        }
        #expect(Directory.names(in: place.path).isEmpty)
    }

    @Test func copyOfEarlierVersionsSettingsIsMadeAtStart() throws {
        let sound = try store()
        Files.discard(place.path("settings.copy"))
        _ = app()
        #expect(!Files.isThere(place.path("settings.copy")))
        _ = service()
        #expect(try place.read("settings.copy") == sound)
    }

    @Test func damagedCommonBudgetIsReportedUntilAcknowledged() throws {
        let controller = service()
        try controller.change { $0.traffic = Self.limits }
        try place.write([], to: "budget")
        #expect(controller.trafficReport().usage.bytesOfMonth == 5_000)
        #expect(service().damage?.code == .storeDamaged)
        try controller.acknowledgeDamage()
        #expect(controller.damage == nil && controller.trafficReport().usage.bytesOfMonth == 0)
    }
}
