import Glibc
import Longhaul
import LonghaulCore
import TestSupport
import Testing

extension SessionConformance {
    @Suite(.onEachTransport) struct SubmissionTests {
        private let latch = Latch()
        private let tus = TusService(path: "/files/")
        private let content = Content(seed: 3, length: 300_000)
        private let server: NastyServer

        init() throws {
            server = try NastyServer(routes: [
                "/held": Route(.status(200).held(by: latch)), "/file": Route(.file(content, etag: "\"v1\"")),
                "/put": Route(.status(201, body: "stored")), "/files/*": tus.route,
            ])
        }

        @Test(arguments: TransferSession.Execution.both)
        func aKeyIsKeptReplacedOrAppendedTo(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                var options = TransferOptions()
                options.key = "one"
                let first = try await session.request(server.url("/held"), options: options)
                #expect(try await session.request(server.url("/held"), options: options).id == first.id)
                options.keyConflict = .append
                let second = try await session.request(server.url("/held"), options: options)
                #expect(second.id != first.id)
                #expect(try await session.transfer(key: "one")?.id == first.id)
                options.keyConflict = .replace
                let third = try await session.request(server.url("/held"), options: options)
                #expect(try await first.result().ending == .cancelled)
                #expect(try await session.transfer(key: "one")?.id == third.id)
                #expect(try await session.snapshots().map(\.id) == [first.id, second.id, third.id])
            }
        }

        @Test(
            .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"),
            arguments: TransferSession.Execution.both)
        func downloadWaitsForItsDrive(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            var drive: SmallVolume? = try SmallVolume(.tmpfs, in: world.files, "work/usb", bytes: 1 << 20)
            try await world.launch { session in
                var options = TransferOptions()
                options.earliestBeginDate = .now + .seconds(3_600)
                let transfer = try await session.download(
                    from: server.url("/file"), to: world.work + "/usb", options: options)
                drive = nil
                #expect(rmdir(world.work + "/usb") == 0)
                try await transfer.retry()
                let snapshot = try await transfer.wait { $0.waitingReason == .mount || $0.state.isEnded }
                #expect(!snapshot.state.isEnded && server.requests.isEmpty)
                drive = try SmallVolume(.tmpfs, in: world.files, "work/usb", bytes: 1 << 20)
                try await transfer.retry()
                #expect(try await transfer.result().ending == .succeeded)
                #expect(try world.files.read("work/usb/file") == content.bytes())
            }
            withExtendedLifetime(drive) {}
        }

        /// An app submits everything at every launch, and its server has recovered meanwhile.
        @Test(arguments: TransferSession.Execution.both)
        func repeatedKeysRestartWhatFailed(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(content, to: "work/photo.jpg")
            let photo = world.work + "/photo.jpg"
            for path in ["/d", "/raw", "/data", "/form", "/req"] { server.setRoute(path, Route(.status(404))) }
            tus.script("POST", .answer(404))
            let submit: @Sendable (TransferSession) async throws -> [Transfer] = { session in
                [
                    try await session.download(from: server.url("/d"), to: world.work, key: "d"),
                    try await session.upload(file: photo, to: server.url("/raw"), key: "raw"),
                    try await session.upload(data: [1, 2], to: server.url("/data"), key: "data"),
                    try await session.upload(
                        form: [.file(name: "f", path: photo)], to: server.url("/form"), key: "form"),
                    try await session.uploadResumably(file: photo, to: server.url("/files/"), key: "tus"),
                    try await session.request(server.url("/req"), method: "POST", body: [3], key: "req"),
                ]
            }
            var ids: [TransferID] = []
            try await world.launch { session in
                for transfer in try await submit(session) {
                    #expect(try await transfer.result().ending != .succeeded)
                    ids.append(transfer.id)
                }
            }
            server.setRoute("/d", Route(.file(content, etag: "\"v1\"")))
            for path in ["/raw", "/data", "/form", "/req"] { server.setRoute(path, Route(.status(200))) }
            for _ in 0..<2 {
                try await world.launch { session in
                    let transfers = try await submit(session)
                    #expect(transfers.map(\.id) == ids)
                    for transfer in transfers { #expect(try await transfer.result().ending == .succeeded) }
                }
            }
            let posts = server.requests(to: "/req").filter { $0.status == 200 }
            #expect(posts.count == 1, "the third launch joins what has succeeded")
        }

        @Test(arguments: TransferSession.Execution.both)
        func localPathsAreCheckedAtSubmission(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(content, to: "work/photo.jpg")
            let photo = world.work + "/photo.jpg"
            try await world.launch { session in
                func refusal(_ submit: () async throws -> Transfer) async -> TransferFailure? {
                    do { _ = try await submit() } catch { return error as? TransferFailure }
                    return nil
                }
                let url = server.url("/file")
                let isFile = await refusal { try await session.download(from: url, to: photo) }
                #expect(isFile?.code == .destinationUnwritable)
                #expect(isFile?.message == "\(photo) is a file, not a directory. Choose a directory.")
                let tilde = await refusal { try await session.download(from: url, to: world.work + "/~/films") }
                #expect(tilde?.message.contains("only shells expand ~.") == true, "\(String(describing: tilde))")
                let isDirectory = await refusal {
                    try await session.download(from: url, to: String(world.work.dropLast(5)), fileName: "work")
                }
                #expect(isDirectory?.code == .destinationExists)
                #expect(isDirectory?.message == "\(world.work) is a directory. Name a file in it.")
                let nameless = await refusal { try await session.download(from: url, to: world.work, fileName: "") }
                #expect(nameless?.code == .invalidArgument)
                let missing = world.work + "/none.pem"
                let options: [(inout NetworkOptions) -> Void] = [
                    { $0.caFile = missing }, { $0.proxyCAFile = missing }, { $0.cookieFile = missing },
                    { $0.pinnedPublicKeys = missing },
                    { $0.clientCertificate = ClientCertificate(certificate: missing) },
                    { $0.clientCertificate = ClientCertificate(certificate: photo, key: missing) },
                    { $0.proxy = "pac+" + missing },
                ]
                for change in options {
                    var network = NetworkOptions()
                    change(&network)
                    let failure = await refusal { try await session.request(url, network: network) }
                    #expect(failure?.code == .sourceMissing)
                    #expect(failure?.message.hasPrefix("Cannot read \(missing): no such file") == true)
                }
                for form in [true, false] {
                    let failure = await refusal {
                        form
                            ? try await session.upload(form: [.file(name: "f", path: missing)], to: url)
                            : try await session.upload(file: missing, to: url)
                    }
                    #expect(failure?.message == "There is no file \(missing). Check its path.")
                }
                #expect(try await session.snapshots().isEmpty && server.requests.isEmpty)
                let new = world.work + "/films/new"
                let film = try await session.download(from: url, to: new, fileName: "film")
                #expect(try await film.value.path == new + "/film")
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aDownloadIsAFile(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try await world.launch { session in
                let transfer = try await session.download(from: server.url("/file"), to: world.work)
                let result = try await transfer.result()
                #expect(result == TransferResult(ending: .succeeded, path: world.work + "/file"))
                #expect(try world.files.read("work/file") == content.bytes())
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func filesAndBytesAreUploaded(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(content, to: "work/photo.jpg")
            try await world.launch { session in
                let file = try await session.upload(file: world.work + "/photo.jpg", to: server.url("/put"))
                let data = try await session.upload(data: [1, 2, 3], to: server.url("/put"), method: "POST")
                for transfer in [file, data] {
                    let response = try #require(try await transfer.result().response)
                    #expect(response.status == 201)
                    #expect(response.body == Array("stored".utf8))
                }
                #expect(try await data.snapshot().name == "put")
            }
            let received = Dictionary(uniqueKeysWithValues: server.requests.map { ($0.method, $0.body) })
            #expect(received == ["PUT": content.bytes(), "POST": [1, 2, 3]])
            #expect(try await world.files.becomesEmpty("state/longhaul/sessions/\(SessionWorld.session)/staged"))
        }

        @Test(arguments: TransferSession.Execution.both)
        func filesOfUnknownSizeAreCopied(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let stage = "state/longhaul/sessions/\(SessionWorld.session)/staged"
            let (path, pipe) = ("/proc/version", world.work + "/pipe")
            #expect(symlink(path, world.work + "/link") == 0 && mkfifo(pipe, 0o600) == 0)
            let content = try world.files.read("work/link")
            let fields = [FormField.file(name: "f", path: path)]
            try await world.launch { session in
                let raw = try await session.upload(file: path, to: server.url("/put"))
                startThread {
                    blockBrokenPipeSignal()
                    let writer = open(pipe, O_WRONLY | O_CLOEXEC)
                    _ = write(writer, "piped", 5)
                    close(writer)
                }
                let piped = try await session.upload(file: pipe, to: server.url("/put"), method: "PATCH")
                let form = try await session.upload(form: fields, to: server.url("/put"))
                let resumable = try await session.uploadResumably(file: path, to: server.url("/files/"))
                for transfer in [raw, piped, form, resumable] {
                    #expect(try await transfer.result().ending == .succeeded)
                }
                #expect(try await form.snapshot().name == "version")
            }
            let received = server.requests(to: "/put")
            // They run at once, so the server receives them in any order.
            let bodies = Dictionary(received.map { ($0.method, $0.body) }) { first, _ in first }
            #expect(received.count == 3)
            #expect(bodies["PUT"] == content && bodies["PATCH"] == Array("piped".utf8))
            let text = String(decoding: try #require(bodies["POST"]), as: UTF8.self)
            #expect(text.contains("filename=\"version\""))
            #expect(text.contains("\r\n\r\n\(String(decoding: content, as: UTF8.self))\r\n--"))
            #expect(tus.uploads.map(\.bytes) == [content])
            #expect(try await world.files.becomesEmpty(stage))
        }

        @Test(arguments: TransferSession.Execution.both)
        func copiesThatNoTransferNeedsAreDeleted(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            let stage = "state/longhaul/sessions/\(SessionWorld.session)/staged"
            let path = "/proc/version"
            try await world.launch { session in
                let fields = [path, world.work + "/none"].map { FormField.file(name: "f", path: $0) }
                await #expect(throws: TransferFailure.self) {
                    try await session.upload(form: fields, to: server.url("/held"))
                }
                #expect(world.files.names(stage).isEmpty)
                let first = try await session.upload(file: path, to: server.url("/held"), key: "k")
                let second = try await session.upload(file: path, to: server.url("/held"), key: "k")
                #expect(first.id == second.id && world.files.names(stage).count == 1)
                latch.open()
                #expect(try await first.result().ending == .succeeded)
            }
            #expect(try await world.files.becomesEmpty(stage))
        }

        @Test func specOfUnknownSizeIsRefused() {
            let fields = [FormField.file(name: "f", path: "/proc/version")]
            let specs: [() throws -> TransferSpec] = [
                { try TransferSpec.upload(file: "/proc/version", to: "http://a.test/") },
                { try TransferSpec.upload(form: fields, to: "http://a.test/") },
                { try TransferSpec.uploadResumably(file: "/proc/version", to: "http://a.test/") },
            ]
            for spec in specs {
                let error = #expect(throws: TransferFailure.self) { try spec() }
                #expect(error?.code == .sourceUnreadable)
                #expect(error?.message.contains("Upload it with a method of the session") == true)
            }
        }

        @Test(arguments: TransferSession.Execution.both)
        func aFormIsUploaded(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(Array("pixels".utf8), to: "work/photo.jpg")
            try await world.launch { session in
                let fields: [FormField] = [
                    .text(name: "title", value: "Holiday"), .file(name: "photo", path: world.work + "/photo.jpg"),
                ]
                let transfer = try await session.upload(form: fields, to: server.url("/put"))
                #expect(try await transfer.result().ending == .succeeded)
            }
            let request = try #require(server.requests.first)
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("name=\"title\"\r\n\r\nHoliday\r\n"))
            #expect(body.contains("filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\npixels\r\n"))
        }

        @Test(arguments: TransferSession.Execution.both)
        func aFileIsUploadedByTus(_ execution: TransferSession.Execution) async throws {
            let world = try SessionWorld(execution)
            try world.files.write(content, to: "work/film.mp4")
            try await world.launch { session in
                let transfer = try await session.uploadResumably(
                    file: world.work + "/film.mp4", to: server.url("/files/"))
                #expect(try await transfer.result().ending == .succeeded)
            }
            #expect(tus.uploads.map(\.bytes) == [content.bytes()])
            #expect(tus.uploads.first?.metadata == "filename ZmlsbS5tcDQ=,filetype dmlkZW8vbXA0")
        }

        @Test(arguments: TransferSession.Execution.both)
        func aRequestKeepsItsResponse(_ execution: TransferSession.Execution) async throws {
            try await SessionWorld(execution).launch { session in
                let transfer = try await session.request(
                    server.url("/put"), method: "POST", body: Array("last words".utf8))
                #expect(try await transfer.result().response?.body == Array("stored".utf8))
            }
            #expect(server.requests.first?.body == Array("last words".utf8))
        }
    }
}

extension TransferSnapshot {
    fileprivate var waitingReason: Waiting.Reason? {
        if case .waiting(let waiting) = state { waiting.reason } else { nil }
    }
}
