import LonghaulCore
import LonghaulSystem

extension Option {
    fileprivate static let directory = Option("directory", "d", value: "DIR", "Write into this directory")
    fileprivate static let sha256 = Option("sha256", value: "HEX", isGivenOnce: true, "The file must have this SHA-256")
    fileprivate static let checksum = Option(
        "checksum", value: "ALGORITHM=HEX", isGivenOnce: true,
        "The file must have this checksum: sha-256, sha-512, sha-1 or md5")
    fileprivate static let remoteTime = Option(
        "remote-time", "R", "Give the file the time at which the server's was changed last")
    fileprivate static let input = Option(
        "input-file", "i", value: "FILE", isGivenOnce: true, "Read URLs from this list; - is standard input")
}

extension Command {
    static let download = Command(
        "download", "URL… [options]", "Download files",
        options: [.output, .directory, .overwrite, .sha256, .checksum, .remoteTime, .split, .input, .again]
            + Option.transfer,
        notes: [
            "Without -o the server suggests the name, and a number is added when it is taken; with -o a file of that name "
                + "is an error unless --overwrite is given. The path of each finished file goes to standard output when "
                + "that is not a terminal.",
            "A list (-i) has one URL on a line; indented lines below it are its options: out=NAME, dir=DIR, "
                + "header=NAME: VALUE, checksum=sha-256=HEX. Lines that begin with # are comments. out= and dir= lead "
                + "wherever they say, also out of -d; two lines cannot have the same file.",
            Option.joining,
            Option.transferUnits,
        ],
        run: { arguments, world throws(TransferFailure) in
            try await DownloadOrders(arguments, world).start()
        })
}

/// Turns the command line, or a list, into downloads.
struct DownloadOrders: Sendable {
    private let arguments: Arguments
    private let world: World
    private let template: TransferTemplate
    private let digest: Digest?

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        self.arguments = arguments
        self.world = world
        let urls = arguments.operands
        let hasList = arguments.has(.input)
        guard !urls.isEmpty || hasList else { throw .usage("download needs a URL, or a list with -i") }
        if urls.count > 1 || hasList {
            for option in [Option.output, .sha256, .checksum, .key, .idempotencyKey] where arguments.has(option) {
                throw .usage("--\(option.long) is for one URL only")
            }
        }
        digest = try Self.digest(arguments)
        template = try TransferTemplate(arguments, world)
    }

    private static func digest(_ arguments: Arguments) throws(TransferFailure) -> Digest? {
        if let text = arguments.value(.checksum) {
            guard !arguments.has(.sha256) else { throw .usage("choose one of --sha256 and --checksum") }
            return try InputList.digest(text)
        }
        guard let hex = arguments.value(.sha256) else { return nil }
        guard let digest = Digest(hex: hex, algorithm: .sha256) else {
            throw .usage("--sha256 takes 64 hexadecimal digits")
        }
        return digest
    }

    func start() async throws(TransferFailure) -> ExitStatus {
        let place = try DownloadPlace(
            output: arguments.value(.output), directory: arguments.value(.directory),
            overwrites: arguments.has(.overwrite), world: world)
        var orders: [Order] = []
        for (index, url) in arguments.operands.enumerated() {
            let spec: TransferSpec
            do throws(TransferFailure) {
                spec = try self.spec(url, place, headers: [], digest: digest)
            } catch  where arguments.operands.count > 1 {
                // It may hold a secret, so it is not repeated.
                throw TransferFailure(error.code, "URL \(index + 1) of \(arguments.operands.count): \(error.message)")
            }
            orders.append(.transfer(spec, subject: spec.redactedURL))
        }
        if !orders.isEmpty {
            if arguments.has(.directory) { try place.makeDirectory() }
            try place.check()
        }
        let source = try source(orders)
        return try await TransferRun.start(arguments, world, source).status
    }

    private func source(_ orders: [Order]) throws(TransferFailure) -> OrderSource {
        guard let path = arguments.value(.input) else { return TransferRun.source(orders) }
        let name = path == "-" ? "standard input" : path
        let file: any OpenFile =
            path == "-" ? LentDescriptor(world.input) : try LocalFiles.open(world.absolute(path))
        return { deliver throws(TransferFailure) in
            try await deliver(orders)
            try await deliverList(LineReader(file, name: name), name, deliver)
        }
    }

    private func deliverList(
        _ reader: consuming LineReader, _ name: String,
        _ deliver: @Sendable ([Order]) async throws(TransferFailure) -> Void
    ) async throws(TransferFailure) {
        var list = InputList()
        var places = ListPlaces()
        var isEmpty = true
        while case let batch = try next(of: &reader, &list, &places, name), !batch.isEmpty {
            try await deliver(batch)
            isEmpty = false
        }
        if isEmpty, arguments.operands.isEmpty, !Task.isCancelled { throw .usage("there is no URL in \(name)") }
    }

    /// The next orders of the list; none at its end.
    private func next(
        of reader: inout LineReader, _ list: inout InputList, _ places: inout ListPlaces, _ name: String
    ) throws(TransferFailure) -> [Order] {
        var batch: [Order] = []
        while batch.count < Order.batchSize {
            let item: InputList.Item?
            if let line = try reader.next() {
                item = list.take(line)
            } else {
                item = list.finish()
                if item == nil { break }
            }
            if let item { batch.append(order(item, name, &places)) }
        }
        return batch
    }

    private func order(_ item: InputList.Item, _ name: String, _ places: inout ListPlaces) -> Order {
        switch item {
        case .problem(let line, let failure): return .refused(subject: "\(name):\(line)", failure)
        case .entry(let entry):
            let subject = "\(name):\(entry.line)"
            if entry.ignoredSources > 0 {
                world.console.say("longhaul: \(subject): only the first of \(entry.ignoredSources + 1) sources is used")
            }
            if !entry.ignoredOptions.isEmpty {
                let names = entry.ignoredOptions.joined(separator: ", ")
                world.console.say("longhaul: \(subject): \(names) means nothing here")
            }
            do throws(TransferFailure) {
                try InputList.checkReadable(entry.url)
                let place = try places.place(
                    output: entry.fileName, directory: entry.directory ?? arguments.value(.directory),
                    overwrites: arguments.has(.overwrite), world: world)
                let spec = try spec(entry.url, place, headers: entry.headers, digest: entry.digest)
                try places.claim(place, line: entry.line)
                return .transfer(spec, subject: subject)
            } catch {
                return .refused(subject: subject, error)
            }
        }
    }

    private func spec(
        _ url: String, _ place: DownloadPlace, headers: [HeaderField], digest: Digest?
    ) throws(TransferFailure) -> TransferSpec {
        var download = DownloadSpec(
            directory: place.directory, fileName: place.fileName, collision: place.collision, expectedDigest: digest)
        download.creationMask = world.creationMask
        download.keepsRemoteTime = arguments.has(.remoteTime)
        let url = try LocalCheck.url(url)
        return TransferSpec(
            work: .download(download), method: "GET", url: url.text, headers: template.headers(for: url, headers),
            options: template.options, network: template.network)
    }
}

extension TransferSpec {
    /// The URL as it may be shown; it was checked before, so the empty text is never seen.
    var redactedURL: String {
        (try? TransferURL(parsing: url))?.redacted ?? ""
    }
}
