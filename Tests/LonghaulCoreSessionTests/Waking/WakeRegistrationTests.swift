import LonghaulCore
import Testing

@Suite struct WakeRegistrationTests {
    @Test(arguments: [
        WakeMethod.dbus(appID: "org.example.Photos"), .dbus(appID: "org.example.photo-drop_2", action: "a.b-c"),
        .systemdUnit("photos.service"), .systemdUnit("photos-wake@.service"), .command(["/usr/bin/photos"]),
        .command(["/usr/bin/photos", "--session", "{session}", ""]),
    ])
    func validWakeMethodIsAccepted(_ method: WakeMethod) {
        #expect(WakeRegistration(method).refusal == nil)
    }

    @Test(arguments: [
        WakeMethod.dbus(appID: "photos"), .dbus(appID: ""), .dbus(appID: "org..photos"), .dbus(appID: "org.1st"),
        .dbus(appID: "org.example.Photos", action: ""), .dbus(appID: "org.example.Photos", action: "a b"),
        .dbus(appID: "org.example/Photos"), .dbus(appID: "org.exämple"), .systemdUnit("photos"),
        .systemdUnit("photos.target"), .systemdUnit("../photos.service"), .systemdUnit("@.service"),
        .systemdUnit("a@b@.service"), .systemdUnit(".service"), .command([]), .command(["photos"]), .command([""]),
        .command(["/usr/bin/photos", "a\0b"]), .command(["/" + String(repeating: "x", count: 40_000)]),
    ])
    func invalidWakeMethodIsRefused(_ method: WakeMethod) {
        let refusal = WakeRegistration(method).refusal
        #expect(refusal?.code == .invalidArgument)
        #expect(refusal?.message.isEmpty == false)
    }

    @Test(arguments: [
        WakeBackoff(first: .zero), WakeBackoff(first: .seconds(-1)),
        WakeBackoff(first: .seconds(5), longest: .seconds(4)),
        WakeBackoff(first: .seconds(1), longest: .seconds(604_801)),
    ])
    func timesThatWouldKeepTheAppBusyAreRefused(_ backoff: WakeBackoff) {
        #expect(WakeRegistration(.command(["/a"]), backoff: backoff).refusal?.code == .invalidArgument)
    }

    @Test func aRequestIsFoundInTheEnvironmentItMakes() throws {
        let session = try #require(SessionID("org.example.photos"))
        let full = WakeRequest(
            session: session, reason: .needsCredentials, transfer: TransferID(high: 1, low: 2), task: "refresh",
            notification: "storm", activationToken: "token")
        let environment = Dictionary(uniqueKeysWithValues: full.variables.map { ($0.name, $0.value) })
        #expect(WakeRequest(environment: environment) == full)
        #expect(Set(environment.keys) == Set(WakeRequest.variableNames))
        #expect(WakeRequest(environment: ["LONGHAUL_SESSION": "org.example.photos"]) == WakeRequest(session: session))
        #expect(WakeRequest(environment: [:]) == nil)
        #expect(WakeRequest(environment: ["LONGHAUL_SESSION": "../etc"]) == nil)
        let newer = ["LONGHAUL_SESSION": "a", "LONGHAUL_WAKE_REASON": "from-the-future"]
        #expect(WakeRequest(environment: newer)?.reason == .unspecified)
    }

    @Test func aCommandGetsWhatItAsksForAndNothingElse() throws {
        let session = try #require(SessionID("org.example.photos"))
        let request = WakeRequest(session: session, reason: .allTransfersFinished)
        let command = [
            "{session}", "--wake", "{session}", "{reason}", "{transfer}", "x{session}", "{task}", "{notification}",
        ]
        #expect(
            request.command(command)
                == ["{session}", "--wake", "org.example.photos", "all-transfers-finished", "", "x{session}", "", ""])
    }
}
