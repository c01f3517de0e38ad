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
    fileprivate static let globOff = Option("globoff", "g", "Take {…} and […] in URLs as they are")
    fileprivate static let mirror = Option(
        "mirror", value: "URL", "Another place of the same file, used where the first fails or is slow; may be repeated"
    )
    fileprivate static let input = Option(
        "input-file", "i", value: "FILE", isGivenOnce: true, "Read URLs from this list; - is standard input")
}

extension Command {
    static let download = Command(
        "download", "URL… [options]", "Download files",
        options: [
            .output, .directory, .overwrite, .sha256, .checksum, .remoteTime, .globOff, .split, .mirror, .input, .again,
        ]
            + Option.transfer,
        notes: [
            "Without -o the server suggests the name, and a number is added when it is taken; with -o a file of that name "
                + "is an error unless --overwrite is given. The path of each finished file goes to standard output when "
                + "that is not a terminal.",
            "{a,b} in a URL stands for each of the words, [1-100], [001-100:2] and [a-z] for each number or letter, as with "
                + "curl; #1 in -o is what stands in the place of the first. -g turns that off.",
            "--mirror joins what another place has only where it is proved to be the same file, by its length and by a checksum "
                + "or the same strong entity-tag; else that place replaces the whole when the others have failed. Header fields "
                + "that are secret stay with the first URL's host.",
            "A list (-i) has one file on a line, with the URLs of its mirrors behind tabs; indented lines below it are its options: out=NAME, dir=DIR, "
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
    /// What the operands stand for.
    private let targets: [URLGlob.Match]
    private let digest: Digest?

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        self.arguments = arguments
        self.world = world
        var targets: [URLGlob.Match] = []
        for url in arguments.operands {
            targets += arguments.has(.globOff) ? [URLGlob.Match(url: url, values: [])] : try URLGlob.expand(url)
        }
        self.targets = targets
        let hasList = arguments.has(.input)
        guard !targets.isEmpty || hasList else { throw .usage("download needs a URL, or a list with -i") }
        if targets.count > 1 || hasList {
            for option in [Option.output, .sha256, .checksum, .mirror, .key, .idempotencyKey]
            where arguments.has(option) {
                let isPattern = option == .output && !hasList && arguments.value(.output)?.contains("#") == true
                guard isPattern else { throw .usage("--\(option.long) is for one URL only") }
            }
        }
        // What curl sends would become a directory.
        if let text = arguments.value(.directory), text.contains("=") || "@{".contains(text.prefix(1)),
            !LocalFiles.isDirectory(world.absolute(text))
        {
            throw .usage(
                "-d is a directory, and \"\(DisplayText.clean(text))\" looks like data; longhaul request URL --data TEXT sends data"
            )
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
        var orders: [Order] = []
        var places = ListPlaces()
        for (index, target) in targets.enumerated() {
            do throws(TransferFailure) {
                _ = try LocalCheck.url(target.url)
                let place = try places.place(
                    output: arguments.value(.output).map(target.fill), directory: arguments.value(.directory),
                    overwrites: arguments.has(.overwrite), world: world)
                try places.claim(place, by: "URL \(index + 1)")
                let spec = try self.spec(
                    target.url, arguments.values(.mirror), place, headers: [], digest: digest)
                orders.append(.transfer(spec, subject: spec.redactedURL))
            } catch  where targets.count > 1 {
                // It may hold a secret, so it is not repeated.
                throw TransferFailure(error.code, "URL \(index + 1) of \(targets.count): \(error.message)")
            }
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
        if isEmpty, targets.isEmpty, !Task.isCancelled { throw .usage("there is no URL in \(name)") }
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
            if !entry.ignoredOptions.isEmpty {
                let names = entry.ignoredOptions.joined(separator: ", ")
                world.console.say("longhaul: \(subject): \(names) means nothing here")
            }
            do throws(TransferFailure) {
                for url in [entry.url] + entry.mirrors { try InputList.checkReadable(url) }
                let place = try places.place(
                    output: entry.fileName, directory: entry.directory ?? arguments.value(.directory),
                    overwrites: arguments.has(.overwrite), world: world)
                let spec = try spec(entry.url, entry.mirrors, place, headers: entry.headers, digest: entry.digest)
                try places.claim(place, by: "line \(entry.line)")
                return .transfer(spec, subject: subject)
            } catch {
                return .refused(subject: subject, error)
            }
        }
    }

    private func spec(
        _ url: String, _ mirrors: [String], _ place: DownloadPlace, headers: [HeaderField], digest: Digest?
    ) throws(TransferFailure) -> TransferSpec {
        var download = DownloadSpec(
            directory: place.directory, fileName: place.fileName, collision: place.collision, expectedDigest: digest)
        download.creationMask = world.creationMask
        download.keepsRemoteTime = arguments.has(.remoteTime)
        let url = try LocalCheck.url(url)
        var options = template.options
        for mirror in mirrors { options.mirrors.append(try LocalCheck.url(mirror).text) }
        return TransferSpec(
            work: .download(download), method: "GET", url: url.text, headers: template.headers(for: url, headers),
            options: options, network: template.network)
    }
}

extension TransferSpec {
    /// The URL as it may be shown; it was checked before, so the empty text is never seen.
    var redactedURL: String {
        (try? TransferURL(parsing: url))?.redacted ?? ""
    }
}
