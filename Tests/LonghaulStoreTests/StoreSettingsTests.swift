import LonghaulCore
import LonghaulStore
import Testing

@Suite struct StoreSettingsTests {
    @Test func limitsAreTheDefaultsUntilSet() throws {
        let world = try StoreWorld()
        let limits = SessionLimits(total: 3, perHost: 2, perGroup: ["films": 1, "": 0])
        do {
            let store = try world.open()
            #expect(try store.limits() == SessionLimits())
            try store.transaction { try store.setLimits(limits) }
        }
        #expect(try world.open().limits() == limits)
    }
}
