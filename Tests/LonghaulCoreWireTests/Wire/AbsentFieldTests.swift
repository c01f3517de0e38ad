import LonghaulCore
import Testing

/// A client that sends only the required fields gets the defaults of the library, and an explicit zero stays zero.
@Suite struct AbsentFieldTests {
    @Test func emptyMessagesAreTheDefaults() throws {
        #expect(try TransferOptions.decoded(wireBytes: [UInt8]()) == TransferOptions())
        #expect(try NetworkOptions.decoded(wireBytes: [UInt8]()) == NetworkOptions())
        #expect(try ConditionRules.decoded(wireBytes: [UInt8]()) == ConditionRules())
        #expect(try SessionRules.decoded(wireBytes: [UInt8]()) == SessionRules(limits: nil))
        #expect(try SessionLimits.decoded(wireBytes: [UInt8]()) == SessionLimits())
        #expect(try BackgroundTaskSettings.decoded(wireBytes: [UInt8]()) == BackgroundTaskSettings())
        #expect(try TransferAdjustment.decoded(wireBytes: [UInt8]()) == TransferAdjustment())
        #expect(try BackgroundTaskRequest.decoded(wireBytes: [UInt8]()) == BackgroundTaskRequest(.appRefresh, ""))
        #expect(try CalendarRule.decoded(wireBytes: [UInt8]()) == .daily(hour: 0))
        #expect(try NotificationSettings.decoded(wireBytes: [UInt8]()) == NotificationSettings(appName: ""))
        #expect(try PlainNotification.decoded(wireBytes: [UInt8]()) == PlainNotification("", title: ""))
    }

    @Test func downloadNeedsOnlyItsDestination() throws {
        let spec = try TransferSpec.decoded(wireBytes: message(1) { $0.text("/d", at: 1) })
        #expect(spec == TransferSpec(work: .download(DownloadSpec(directory: "/d")), method: "GET", url: ""))
    }

    @Test func uploadNeedsOnlyItsSource() throws {
        let pin = message(2) { $0.integer(7, at: 1) }
        let source = SourceFile(path: "", pin: SourcePin(size: 7, modified: 0, inode: 0, device: 0), isStaged: false)
        let uploads: [(field: Int, body: [UInt8], work: UploadSpec, method: String)] = [
            (1, pin, .raw(source), "PUT"), (2, [], .form(boundary: "", parts: []), "POST"),
            (3, message(1, pin), .tus(source, metadata: []), "POST"),
        ]
        for upload in uploads {
            let spec = try TransferSpec.decoded(wireBytes: message(2, message(upload.field, upload.body)))
            #expect(spec == TransferSpec(work: .upload(upload.work), method: upload.method, url: ""))
        }
    }

    @Test func requestNeedsOnlyItsBody() throws {
        let spec = try TransferSpec.decoded(wireBytes: message(3, []))
        #expect(spec == TransferSpec(work: .request(body: []), method: "GET", url: ""))
    }

    @Test func listNeedsOnlyItsSelection() throws {
        #expect(try ListQuery.decoded(wireBytes: message(1, message(3, []))) == ListQuery())
    }

    @Test func wakeRegistrationNeedsOnlyItsMethod() throws {
        let registration = try WakeRegistration.decoded(wireBytes: message(1, message(1) { $0.text("a", at: 1) }))
        #expect(registration == WakeRegistration(.dbus(appID: "a")))
    }

    @Test func explicitZeroStaysZero() throws {
        var options = TransferOptions()
        (options.retryLimit, options.responseLimit, options.timeoutIntervalForResource) = (0, 0, .zero)
        #expect(try TransferOptions.decoded(wireBytes: options.wireBytes) == options)
        var network = NetworkOptions()
        (network.redirectLimit, network.connectTimeout) = (0, .zero)
        (network.timeoutIntervalForRequest, network.timeoutIntervalForResponse) = (.zero, .zero)
        #expect(try NetworkOptions.decoded(wireBytes: network.wireBytes) == network)
        let settings = NotificationSettings(appName: "Photos", kinds: [])
        #expect(try NotificationSettings.decoded(wireBytes: settings.wireBytes) == settings)
        let backoff = WakeBackoff(first: .zero, longest: .zero)
        let registration = WakeRegistration(.command([]), sessionSendsLaunchEvents: false, backoff: backoff)
        #expect(try WakeRegistration.decoded(wireBytes: registration.wireBytes) == registration)
    }

    /// In the format of an earlier program and of other clients.
    @Test(arguments: [1, 2, 3, 7, 13, 14, 15, 17]) func emptyTextIsAbsent(field: Int) throws {
        var writer = WireWriter()
        writer.text(Optional(""), at: field)
        #expect(try NetworkOptions.decoded(wireBytes: writer.bytes) == NetworkOptions())
    }

    private func message(_ field: Int, _ bytes: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.data(Optional(bytes), at: field)
        return writer.bytes
    }

    private func message(_ field: Int, _ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return message(field, writer.bytes)
    }
}
