import LonghaulCore
import TestSupport
import Testing

@Suite struct EqualRequestTests {
    private static let pin = SourcePin(size: 3, modified: 1, inode: 2, device: 3)
    private static let source = SourceFile(path: "/in/a", pin: pin)

    private static func spec(
        _ work: TransferSpec.Work, _ change: (inout TransferSpec) -> Void = { _ in }
    ) -> TransferSpec {
        var spec = TransferSpec(work: work, method: "PUT", url: "http://a.test/x?token=1")
        change(&spec)
        return spec
    }

    private static let works: [TransferSpec.Work] = [
        .download(DownloadSpec(directory: "/out")), .download(DownloadSpec(directory: "/out", fileName: "a")),
        .upload(.raw(source)), .upload(.tus(source, metadata: [MetadataPair(key: "a", value: "b")])),
        .upload(.form(boundary: "x", parts: [FormPart(name: "f", content: .text("v"))])),
    ]

    @Test func transferOptionsDoNotAffectEquality() {
        for work in Self.works {
            let other = Self.spec(work) { $0.options.priority = 4 }
            #expect(other.requestsSame(as: Self.spec(work)), "\(work)")
            #expect(other.equalityHash == Self.spec(work).equalityHash)
        }
    }

    @Test func anotherBoundaryIsNoOtherForm() {
        let parts = [FormPart(name: "f", content: .file(Self.source, fileName: "a", contentType: "text/plain"))]
        let one = Self.spec(.upload(.form(boundary: "x", parts: parts)))
        let other = Self.spec(.upload(.form(boundary: "y", parts: parts)))
        #expect(one.requestsSame(as: other) && one.equalityHash == other.equalityHash)
    }

    @Test func transferredContentAffectsEquality() {
        for (index, work) in Self.works.enumerated() {
            let own = Self.spec(work)
            for (number, other) in Self.works.enumerated() where number != index {
                #expect(!own.requestsSame(as: Self.spec(other)))
            }
            #expect(!own.requestsSame(as: Self.spec(work) { $0.url = "http://a.test/x?token=2" }))
            #expect(!own.requestsSame(as: Self.spec(work) { $0.headers = [HeaderField("Accept", "b")] }))
        }
        var changed = Self.source
        changed.pin.modified = 9
        #expect(!Self.spec(.upload(.raw(Self.source))).requestsSame(as: Self.spec(.upload(.raw(changed)))))
        let post = Self.spec(.upload(.raw(Self.source))) { $0.method = "POST" }
        #expect(!post.requestsSame(as: Self.spec(.upload(.raw(Self.source)))))
    }

    /// How an option of a repeated command counts.
    private enum Effect: Equatable {
        case otherTransfer
        case applies
        /// The command reports that the option of this name has no effect.
        case isNamed(String)
        /// No command sets it, or it does not concern the transfer.
        case none
    }

    private struct Option {
        var effect: Effect
        var change: @Sendable (inout TransferSpec) -> Void = { _ in }
    }

    private static let networkOptions: [String: Option] = [
        "proxy": Option(effect: .otherTransfer) { $0.network.proxy = "http://p:1" },
        "noProxy": Option(effect: .otherTransfer) { $0.network.noProxy = "a.test" },
        "variables": Option(effect: .otherTransfer) { $0.network.variables = ProxyVariables(https: "http://p:1") },
        "proxyCAFile": Option(effect: .otherTransfer) { $0.network.proxyCAFile = "/c" },
        "allowsUntrustedServer": Option(effect: .otherTransfer) { $0.network.allowsUntrustedServer = true },
        "caFile": Option(effect: .otherTransfer) { $0.network.caFile = "/c" },
        "pinnedPublicKeys": Option(effect: .otherTransfer) { $0.network.pinnedPublicKeys = "sha256//x" },
        "authentication": Option(effect: .otherTransfer) { $0.network.authentication = .digest },
        "clientCertificate": Option(effect: .otherTransfer) {
            $0.network.clientCertificate = ClientCertificate(certificate: "/c")
        },
        "cookieFile": Option(effect: .otherTransfer) { $0.network.cookieFile = "/j" },
        "cookieJar": Option(effect: .otherTransfer) { $0.network.cookieJar = "/j" },
        "keepsCookiesWithSession": Option(effect: .otherTransfer) { $0.network.keepsCookiesWithSession = true },
        // The user accepted them after the command.
        "trustedKeys": Option(effect: .none) {
            $0.network.trustedKeys = ["https://a.test:443": "sha256//x"]
        },
        "connectTimeout": Option(effect: .isNamed("--connect-timeout")) { $0.network.connectTimeout = .seconds(5) },
        "timeoutIntervalForRequest": Option(effect: .isNamed("--stall-timeout")) {
            $0.network.timeoutIntervalForRequest = .seconds(5)
        },
        "timeoutIntervalForResponse": Option(effect: .isNamed("--response-timeout")) {
            $0.network.timeoutIntervalForResponse = .seconds(5)
        },
        "userAgent": Option(effect: .isNamed("--user-agent")) { $0.network.userAgent = "a" },
        "redirectLimit": Option(effect: .isNamed("--max-redirs")) { $0.network.redirectLimit = 5 },
        "http3": Option(effect: .isNamed("--http3")) { $0.network.http3 = .tried },
        "keepsHeaders": Option(effect: .isNamed("--verbose")) { $0.network.keepsHeaders = true },
    ]

    private static let transferOptions: [String: Option] = [
        "credential": Option(effect: .otherTransfer) { $0.options.credentialName = CredentialName("a") },
        "credentialIsURL": Option(effect: .otherTransfer) { $0.options.credentialIsURL = true },
        "idempotencyKey": Option(effect: .otherTransfer) { $0.options.idempotencyKey = "a" },
        "group": Option(effect: .applies) { $0.options.group = "a" },
        "priority": Option(effect: .applies) { $0.options.priority = 4 },
        "isAttended": Option(effect: .applies) { $0.options.isAttended = true },
        "timeoutIntervalForResource": Option(effect: .applies) { $0.options.timeoutIntervalForResource = .seconds(5) },
        "progressTimeout": Option(effect: .applies) { $0.options.progressTimeout = .seconds(5) },
        "retryLimit": Option(effect: .applies) { $0.options.retryLimit = 5 },
        "rateLimit": Option(effect: .applies) { $0.options.rateLimit = 5 },
        "earliestBeginDate": Option(effect: .isNamed("--not-before, if it has begun")) {
            $0.options.earliestBeginDate = WallTime(seconds: 4_000_000_000)
        },
        "predecessor": Option(effect: .isNamed("--after")) {
            $0.options.predecessor = TransferID(now: WallTime(seconds: 1), random: (0, 0))
        },
        "segments": Option(effect: .isNamed("--split")) { $0.options.segments = 4 },
        "mirrors": Option(effect: .isNamed("--mirror")) { $0.options.mirrors = ["http://b.test/"] },
        "conditions": Option(effect: .applies) { $0.options.conditions.allowsRoaming = false },
        "notifications": Option(effect: .isNamed("--notify")) { $0.options.notifications = .always },
        // A transfer with a key is joined by its key alone.
        "key": Option(effect: .none), "keyConflict": Option(effect: .none),
        "followsFailure": Option(effect: .none), "unknownHostRetryLimit": Option(effect: .none),
        "responseLimit": Option(effect: .none), "wakesAppWhenFinished": Option(effect: .none),
        "joinsEqualBefore": Option(effect: .none), "restartsEndedBefore": Option(effect: .none),
    ]

    private static let downloadOptions: [String: Option] = [
        "directory": Option(effect: .otherTransfer) { $0.download?.directory = "/elsewhere" },
        "fileName": Option(effect: .otherTransfer) { $0.download?.fileName = "b" },
        "expectedDigest": Option(effect: .otherTransfer) {
            $0.download?.expectedDigest = Digest(algorithm: .md5, bytes: [UInt8](repeating: 1, count: 16))
        },
        "range": Option(effect: .otherTransfer) { $0.download?.range = FilePart(first: 1, last: nil) },
        "signature": Option(effect: .otherTransfer) {
            $0.download?.signature = DetachedSignature(bytes: [1], keyring: "/k")
        },
        "foreign": Option(effect: .otherTransfer) { $0.download?.foreign = ForeignPartial(file: source, begunAt: nil) },
        "existing": Option(effect: .otherTransfer) { $0.download?.existing = ExistingFile(size: 1, test: .name) },
        "expectedLength": Option(effect: .otherTransfer) { $0.download?.expectedLength = 5 },
        "pieces": Option(effect: .otherTransfer) {
            $0.download?.pieces = PieceDigests(algorithm: .md5, length: 1, digests: [])
        },
        "repairs": Option(effect: .otherTransfer) { $0.download?.repairs = true },
        "collision": Option(effect: .isNamed("--overwrite")) { $0.download?.collision = .overwrite },
        "unchangedSince": Option(effect: .isNamed("--timestamping")) {
            $0.download?.unchangedSince = WallTime(seconds: 1)
        },
        "keepsRemoteTime": Option(effect: .isNamed("--remote-time")) { $0.download?.keepsRemoteTime = true },
        "creationMask": Option(effect: .none), "isFollowed": Option(effect: .none),
        "mountPoint": Option(effect: .none) { $0.download?.mountPoint = "/out" },
    ]

    @Test func eachOptionOfARepeatedCommandCounts() {
        let own = Self.spec(Self.works[0])
        for (options, table) in [
            (properties(own.network), Self.networkOptions), (properties(own.options), Self.transferOptions),
            (properties(DownloadSpec(directory: "/out")), Self.downloadOptions),
        ] {
            #expect(Set(options.keys) == Set(table.keys))
            for (name, option) in table {
                let other = Self.spec(Self.works[0], option.change)
                #expect(other.requestsSame(as: own) == (option.effect != .otherTransfer), "\(name)")
                let isApplied = TransferAdjustment(joining: record, other.options) != TransferAdjustment()
                #expect(option.effect != .applies || isApplied, "\(name)")
                guard case .isNamed(let text) = option.effect else {
                    #expect(option.effect == .otherTransfer || other.optionsWithoutEffect.isEmpty, "\(name)")
                    continue
                }
                #expect(other.optionsWithoutEffect == [text], "\(name)")
            }
        }
    }

    private var record: TransferRecord { MachineFixture.download().machine.record }

    /// The variables of the shell count as far as the options leave something to them.
    @Test func effectiveProxyCounts() {
        func spec(proxy: String = "", noProxy: String = "", _ variables: ProxyVariables) -> TransferSpec {
            Self.spec(Self.works[0]) {
                ($0.network.proxy, $0.network.noProxy, $0.network.variables) = (proxy, noProxy, variables)
            }
        }
        let proxy = "http://p:1"
        let given = spec(proxy: proxy, ProxyVariables())
        #expect(given.requestsSame(as: spec(proxy: proxy, ProxyVariables(http: "http://q:1"))))
        #expect(given.requestsSame(as: spec(ProxyVariables(http: proxy, https: proxy))))
        #expect(!given.requestsSame(as: spec(proxy: proxy, ProxyVariables(exceptions: "a.test"))))
        let listed = spec(noProxy: "b.test", ProxyVariables(http: proxy))
        #expect(listed.requestsSame(as: spec(noProxy: "b.test", ProxyVariables(http: proxy, exceptions: "a.test"))))
    }

    @Test func optionsOfTheJoiningCommandApply() {
        let world = MachineFixture.download()
        var options = TransferOptions()
        #expect(TransferAdjustment(joining: world.machine.record, options) == TransferAdjustment())
        options.rateLimit = 5
        options.priority = 2
        options.earliestBeginDate = world.now + .seconds(60)
        options.conditions.hours = TimeWindow(from: 0, to: 1_439)
        let adjustment = TransferAdjustment(joining: world.machine.record, options)
        #expect(adjustment.conditions == options.conditions)
        #expect(adjustment.rateLimit == 5 && adjustment.priority == 2 && adjustment.earliestBeginDate != nil)
        #expect(world.machine.record.spec.optionsWithoutEffect.isEmpty)
    }

    @Test func requestsAreNeverTheSame() {
        let request = Self.spec(.request(body: [1]))
        #expect(!request.requestsSame(as: request))
    }
}
