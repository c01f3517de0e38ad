import LonghaulCore
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

    @Test func howItIsMovedDoesNotCount() {
        for work in Self.works {
            let other = Self.spec(work) {
                $0.options.priority = 4
                $0.options.rateLimit = 5
                $0.network.userAgent = "a"
                $0.network.trustedKeys = [TrustedKey(origin: "https://a.test:443", publicKey: "sha256//x")]
            }
            #expect(other.asksForTheSame(as: Self.spec(work)), "\(work)")
            #expect(other.equalityHash == Self.spec(work).equalityHash)
        }
    }

    @Test func anotherBoundaryIsNoOtherForm() {
        let parts = [FormPart(name: "f", content: .file(Self.source, fileName: "a", contentType: "text/plain"))]
        let one = Self.spec(.upload(.form(boundary: "x", parts: parts)))
        let other = Self.spec(.upload(.form(boundary: "y", parts: parts)))
        #expect(one.asksForTheSame(as: other) && one.equalityHash == other.equalityHash)
    }

    @Test func whatIsMovedCounts() {
        for (index, work) in Self.works.enumerated() {
            let own = Self.spec(work)
            for (number, other) in Self.works.enumerated() where number != index {
                #expect(!own.asksForTheSame(as: Self.spec(other)))
            }
            #expect(!own.asksForTheSame(as: Self.spec(work) { $0.url = "http://a.test/x?token=2" }))
            #expect(!own.asksForTheSame(as: Self.spec(work) { $0.headers = [HeaderField("Accept", "b")] }))
        }
        var changed = Self.source
        changed.pin.modified = 9
        #expect(!Self.spec(.upload(.raw(Self.source))).asksForTheSame(as: Self.spec(.upload(.raw(changed)))))
        let post = Self.spec(.upload(.raw(Self.source))) { $0.method = "POST" }
        #expect(!post.asksForTheSame(as: Self.spec(.upload(.raw(Self.source)))))
    }

    @Test(
        arguments: [
            { $0.network.proxy = "http://p:1" }, { $0.network.noProxy = "a.test" }, { $0.network.proxyCAFile = "/c" },
            { $0.network.allowsUntrustedServer = true }, { $0.network.caFile = "/c" },
            { $0.network.pinnedPublicKeys = "sha256//x" }, { $0.network.cookieJar = "/j" },
            { $0.network.clientCertificate = ClientCertificate(certificate: "/c") },
            { $0.network.authentication = .digest }, { $0.options.credential = CredentialName("a") },
        ] as [@Sendable (inout TransferSpec) -> Void])
    func routeTrustAndUserCount(change: @Sendable (inout TransferSpec) -> Void) {
        for work in Self.works {
            #expect(!Self.spec(work, change).asksForTheSame(as: Self.spec(work)))
        }
    }

    @Test func optionsOfTheJoiningCommandApply() {
        let world = MachineFixture.download()
        var options = TransferOptions()
        #expect(TransferAdjustment(joining: world.machine.record, options) == TransferAdjustment())
        options.rateLimit = 5
        options.priority = 2
        options.earliestBeginDate = world.now + .seconds(60)
        let adjustment = TransferAdjustment(joining: world.machine.record, options)
        #expect(adjustment.rateLimit == 5 && adjustment.priority == 2 && adjustment.earliestBeginDate != nil)
        var spec = world.machine.record.spec
        #expect(spec.optionsWithoutEffect.isEmpty)
        spec.options.mirrors = ["http://b.test/"]
        spec.download?.collision = .overwrite
        #expect(spec.optionsWithoutEffect == ["--overwrite", "--mirror"])
    }

    @Test func requestsAreNeverTheSame() {
        let request = Self.spec(.request(body: [1]))
        #expect(!request.asksForTheSame(as: request))
    }
}
