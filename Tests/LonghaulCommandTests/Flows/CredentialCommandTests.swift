import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

struct CredentialCommandTests {
    private let photos = CredentialName("photos")!

    @Test func aTransferIsSubmittedWithAName() async {
        let test = TestWorld(
            ScriptedService { $0.watches = [ScriptedService.Watch(updates: [update(snapshot(1, .succeeded))])] })
        #expect(await test.run("download", "--credential", "photos", "http://host.example/a") == 0)
        let spec = test.service.state.withLock { $0.submitted.first }
        #expect(spec?.options.credentialName == photos && spec?.headers.isEmpty == true)
        #expect(await test.run("download", "--credential", "a b", "http://host.example/a") == 2)
        #expect(await test.run("download", "--credential", "a", "-u", "b:c", "http://host.example/a") == 2)
    }

    @Test func aHelperIsSetAndTakenAway() async {
        let test = TestWorld()
        #expect(await test.run("credentials", "helper", "--", "git", "credential-store", "--file", "/f") == 0)
        #expect(
            test.service.state.withLock { $0.credentials.helper } == ["git", "credential-store", "--file", "/f"])
        #expect(test.printed.contains("Helper        git credential-store --file /f"))
        #expect(await test.run("credentials", "helper") == 2)
        #expect(await test.run("credentials", "helper", "--none") == 0)
        #expect(test.service.state.withLock { $0.credentials.helper } == [])
        #expect(await test.run("credentials", "what") == 2)
    }

    @Test func missingCredentialIsReported() async {
        let failure = TransferFailure(.credentialsRequired, "No helper has a password.")
        let report = CredentialReport(
            helper: ["h"], providers: 1, waiting: 2,
            entries: [.init(name: photos, origin: "https://h:443", state: .lacking, failure: failure)])
        let test = TestWorld(ScriptedService { $0.credentials = report })
        #expect(await test.run("credentials") == 0)
        #expect(test.printedLines.last == "photos        https://h:443: No helper has a password")
        #expect(await test.run("credentials", "--json") == 0)
        #expect(
            test.printedLines.last?.hasPrefix(
                #"{"helper":["h"],"providers":1,"waiting":2,"credentials":[{"name":"photos","origin":"https://h:443","#
                    + #""state":"lacking","failure":{"code":"credentialsRequired""#) == true)
        let finding = Doctor.examine(report, of: .commandLine)
        #expect(finding.map(\.verdict) == [.warn])
        #expect(finding.first?.message == "2 transfers wait for credentials. No helper has a password.")
        #expect(Doctor.examine(CredentialReport(), of: .commandLine).isEmpty)
    }

    @Test func credentialWaitNamesItsRemedy() async {
        let scope = CredentialScope(name: photos, origin: "https://photos.example.org:443")
        let failure = CredentialTrouble.nobody.failure(for: scope)
        #expect(
            failure.message.hasPrefix(
                "No app or helper provides the credential photos for https://photos.example.org: "))
        let waiting = snapshot(1, .waiting(Waiting(.credentials, since: start, failure: failure)))
        let test = TestWorld(
            ScriptedService { state in
                state.transfers = [waiting]
                var options = TransferOptions()
                options.credential = photos.description
                state.details[id(1)] = TransferDetail(
                    snapshot: waiting, headers: [], response: nil, lastFailure: failure, restarts: 0, options: options)
            })
        #expect(await test.run("list") == 0)
        let give = "longhaul credentials give photos https://photos.example.org -u USER"
        #expect(
            test.printedLines.last?.trimming(while: { $0 == " " })
                == "waiting for credentials: open the app that has it, or run \(give)")
        let doctor = TestWorld(test.service)
        #expect(await doctor.run("doctor", "1") == 0)
        #expect(
            doctor.printed.contains(
                "The transfer needs a credential: No app or helper provides the credential photos for https://photos.example.org."
            )
        )
        #expect(doctor.printed.contains("run longhaul credentials helper -- COMMAND."))
    }

    @Test func aCredentialIsGivenWithoutBeingShown() async {
        let test = TestWorld()
        #expect(await test.run("credentials", "give", "photos", "https://h/", "-u", "ada:s3cret") == 0)
        #expect(
            test.service.state.withLock { $0.given } == [.basic(userName: "ada", password: "s3cret")])
        #expect(!(test.printed + test.said).contains("s3cret"))
        #expect(await test.run("credentials", "give", "photos", "https://h/") == 2)
        #expect(await test.run("credentials", "give", "photos") == 2)
        #expect(await test.run("credentials", "give", "photos", "ftp://h/", "--bearer") == 2)
    }

    @Test func aURLIsReplacedAndItsSecretIsNotShown() async {
        let test = TestWorld()
        let name = id(1).description
        #expect(await test.run("replace-url", name, "https://h/a?s3cret") == 0)
        #expect(test.saidLines == ["00000001 continues with https://h/a."])
        #expect(await test.run("replace-url", name, "https://h/a?s3cret", "-H", "X: y", "--json") == 0)
        #expect(test.printed == "{\"id\":\"\(name)\",\"url\":\"https://h/a\"}\n")
        let replaced = test.service.state.withLock { $0.replaced }
        #expect(replaced.map(\.url) == ["https://h/a?s3cret", "https://h/a?s3cret"])
        #expect(replaced.map(\.headers) == [nil, [HeaderField("X", "y")]])
        #expect(await test.run("replace-url", name) == 2)
        #expect(await test.run("replace-url", name, "nonsense") == 2)
    }

    @Test func stateExplainsWaitForCredentials() {
        let failure = TransferFailure(.credentialsRequired, "No helper has a password.")
        let asking = snapshot(1, .waiting(Waiting(.credentials, since: start)))
        let stuck = snapshot(1, .waiting(Waiting(.credentials, since: start, failure: failure)))
        #expect(
            StateText.phrase(asking, in: .commandLine, now: start)
                == "waiting for credentials, which are being requested")
        #expect(
            StateText.phrase(stuck, in: .commandLine, now: start)
                == "waiting for credentials: No helper has a password; try again with: longhaul retry 00000001")
    }
}
