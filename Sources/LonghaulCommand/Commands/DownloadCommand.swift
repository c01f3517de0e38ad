import LonghaulCore
import LonghaulSystem

extension Option {
    static let directory = Option("directory", "d", value: "DIR", "Save in DIR; creates it if missing")
    static let input = Option(
        "input-file", "i", value: "FILE", isGivenOnce: true, "Read URLs from FILE; - reads standard input")
    static let newer = Option(
        "timestamping", "N", "Download only if the server's file is newer; replaces yours")
    static let remoteTime = Option(
        "remote-time", "R", "Set the file's modification time from the server's Last-Modified header")
    static let range = Option(
        "range", "r", value: "A-B", isGivenOnce: true,
        "Download bytes A-B, counted from 0; A-: rest; -N: last N")
    static let globOff = Option("globoff", "g", "Do not expand {…} and […] in URLs")

    static let checksum = Option(
        "checksum", value: "ALGORITHM=HEX", isGivenOnce: true, "Verify with sha-256, sha-512, sha-1, or md5")
    /// Short for `--checksum sha-256=HEX`.
    static let sha256 = Option("sha256", value: "HEX", isGivenOnce: true, "Verify with sha-256, sha-512, sha-1, or md5")
    static let checksumFile = Option(
        "checksum-file", value: "URL", isGivenOnce: true, "Verify files with a checksum list such as SHA256SUMS")
    static let signature = Option(
        "signature", value: "URL", isGivenOnce: true, "Verify the OpenPGP signature at URL; requires --keyring")
    static let keyring = Option(
        "keyring", value: "FILE", isGivenOnce: true,
        "Accept signatures made with the keys in FILE (from gpg --export)")

    static let mirror = Option("mirror", value: "URL", "Add a mirror of the file; repeatable")
    static let metalink = Option(
        "metalink", value: "FILE|URL", "Download the files in a Metalink; repairs existing files")

    static let goOn = Option("continue", "c", "Resume a partial file that another program left")
    /// As curl writes `--continue`.
    static let continueAt = Option(
        "continue-at", "C", value: "-", isGivenOnce: true, "Resume a partial file that another program left")
}

extension Command {
    static let download = Command(
        "download", "URL… [options]", "Download files",
        groups: OptionGroup.download + OptionGroup.transfer,
        common: [
            .output, .directory, .input, .overwrite, .goOn, .checksum, .user, .header, .limitRate, .split, .detach,
            .quiet,
        ],
        synonyms: [.sha256, .continueAt],
        examples: [
            .init("longhaul https://example.org/film.mp4 -o holiday.mp4", "Save under another name"),
            .init("longhaul -b -d ~/Downloads -i urls.txt", "Download a list of URLs in the background"),
            .init("longhaul https://example.org/src.tar.gz -o - | tar xz", "Unpack an archive while it downloads"),
        ],
        notes: [
            "Without -o, the server suggests the name; if it is taken, Longhaul adds a number. With -o, an existing "
                + "file is an error unless you pass --overwrite. If standard output is not a terminal, the command "
                + "prints the path of each finished file.",
            "-o - writes one file to standard output while it downloads. The transfer ends with the command.",
            "URLs may contain {a,b}, [1-100], [001-100:2], and [a-z], as with curl. #1 in -o stands for the first "
                + "of them.",
            Continuing.note,
            "--mirror combines bytes of several servers only if the files are proven equal: by length, and by checksum "
                + "or strong ETag. Otherwise a mirror supplies the whole file if the other servers fail. Secret headers "
                + "are sent only to the first URL's origin.",
            "A list (-i) has one URL per line, and tabs before the URLs of mirrors. Indented lines below set options: "
                + "out=NAME, dir=DIR, header=NAME: VALUE, checksum=sha-256=HEX. Lines that start with # are comments. "
                + "out= and dir= may point anywhere, so check a list from someone else.",
            Option.joining,
            Option.transferUnits,
        ],
        run: { arguments, world throws(TransferFailure) in
            try await DownloadOrders(arguments, world).start()
        })
}

/// Turns the command line, or a list, into downloads.
struct DownloadOrders: Sendable {
    let arguments: Arguments
    let world: World
    let template: TransferTemplate
    /// The URLs that the operands expand to.
    let targets: [URLGlob.Match]
    /// URLs and paths of Metalinks.
    let metalinks: [String]
    /// The path of a list of URLs; `-` is standard input.
    let list: String?
    private let digest: Digest?
    private let range: FilePart?
    private let keyring: String?
    let continuing: Continuing?
    private let existing: ExistingFiles?

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        self.arguments = arguments
        self.world = world
        var targets: [URLGlob.Match] = []
        let continuing = try Continuing(arguments, world)
        self.continuing = continuing
        existing = try ExistingFiles(arguments)
        let operands = arguments.operands.filter { $0 != continuing?.operand }
        let plain = operands.filter { !MetalinkOrders.isMetalink($0) }
        let inputs = arguments.values(.input)
        list = inputs.first { !MetalinkOrders.isMetalink($0) }
        metalinks = arguments.values(.metalink) + (operands + inputs).filter(MetalinkOrders.isMetalink)
        try Habit.checkValues(arguments, world)
        for url in plain {
            try Habit.check(operand: url, arguments, world)
            targets += arguments.has(.globOff) ? [URLGlob.Match(url: url, values: [])] : try URLGlob.expand(url)
        }
        self.targets = targets
        let hasList = list != nil
        if !metalinks.isEmpty { try MetalinkOrders.checkOptions(arguments) }
        guard !targets.isEmpty || !metalinks.isEmpty || hasList else {
            throw Habit.missingURL(arguments)
        }
        if targets.count > 1 || hasList {
            for option in [Option.output, .sha256, .checksum, .signature, .mirror, .key, .idempotencyKey]
            where arguments.has(option) {
                let output = option == .output && !hasList ? arguments.value(.output) ?? "" : ""
                if output.contains("#") || OutputPlace.isStandardOutput(output) { continue }
                throw .usage("--\(option.long) works with one URL only.")
            }
        }
        digest = try Self.digest(arguments)
        template = try TransferTemplate(arguments, world)
        range = try arguments.value(.range).map(Self.range)
        keyring = arguments.value(.keyring).map(world.absolute)
        if let keyring { try LocalPaths.keyring(at: keyring) }
        guard arguments.has(.signature) == arguments.has(.keyring) else {
            throw .usage("--signature and --keyring must be given together.")
        }
        if targets.count > 1 || hasList { try continuing?.checkSeveral() }
        if hasList {
            for option in [Option.checksumFile, .range] where arguments.has(option) {
                throw .usage("--\(option.long) does not work with a list.")
            }
        }
        if arguments.has(.checksumFile), arguments.has(.checksum) || arguments.has(.sha256) {
            throw .usage("Choose one of --checksum-file and --checksum.")
        }
        if arguments.has(.newer), arguments.has(.range) { throw .usage("Choose one of --timestamping and --range.") }
        for option in [Option.signature, .checksumFile] where arguments.has(option) && arguments.has(.range) {
            throw .usage(
                "--\(option.long) verifies whole files, and --range downloads a part. Choose one of them, or verify the part with --checksum."
            )
        }
        try checkOutput()
    }

    /// Reads `0-99`, `100-`, and `-500`.
    private static func range(_ text: String) throws(TransferFailure) -> FilePart {
        if Habit.isSuffix(text), let count = Int64(text), (-Int64.max...(-1)).contains(count) {
            return FilePart(first: count, last: nil)
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard ends.count == 2, let first = ends[0], first >= 0, ends[1] ?? first >= first,
            text.hasSuffix("-") || ends[1] != nil
        else {
            throw .usage(
                "--range must be the first and the last byte, such as 0-499, or 500- for the rest, or -500 for the last 500 bytes, not \"\(text)\"."
            )
        }
        return FilePart(first: first, last: ends[1])
    }

    private static func digest(_ arguments: Arguments) throws(TransferFailure) -> Digest? {
        if let text = arguments.value(.checksum) {
            guard !arguments.has(.sha256) else { throw .usage("Choose one of --sha256 and --checksum.") }
            return try InputList.digest(text)
        }
        guard let hex = arguments.value(.sha256) else { return nil }
        guard let digest = Digest(algorithm: .sha256, hexadecimal: hex) else {
            throw .usage("--sha256 must be 64 hexadecimal digits, not \"\(hex)\".")
        }
        return digest
    }

    func start() async throws(TransferFailure) -> ExitStatus {
        if goesToOutput { return try await startToOutput() }
        let proof = try await proof()
        var orders: [Order] = []
        var places = ListPlaces()
        for (index, target) in targets.enumerated() {
            do throws(TransferFailure) {
                let place = try await place(of: target, &places)
                try places.claim(place, by: "URL \(index + 1)")
                var spec = try spec(of: target, place, proof)
                try continuing?.resume(&spec)
                try existing?.apply(to: &spec)
                orders.append(.transfer(spec, subject: spec.redactedURL))
            } catch  where targets.count > 1 {
                // A URL may hold a secret, so its number stands for it.
                let number = tr("URL \(index + 1) of \(targets.count)")
                throw TransferFailure(error.code, number + ": " + error.message)
            }
        }
        let linked = try await linked(&places)
        let source = try source(orders)
        let status = try await TransferRun.start(
            arguments, world,
            { deliver throws(TransferFailure) in
                // The digests of one file's pieces can fill half a message.
                for order in linked { try await deliver([order]) }
                try await source(deliver)
            }
        ).status
        if status == .success { sayWhatOutputGot(orders + linked) }
        return status
    }

    /// Accepts a file of the name if a transfer has the key, since the file may be its own. The key is looked up after the file was found:
    /// an equal command, started at the same time, records the key before its file appears.
    private func place(
        of target: URLGlob.Match, _ places: inout ListPlaces
    ) async throws(TransferFailure) -> DownloadPlace {
        let output = try expected(arguments.value(.output).map(target.fill), target.url)
        do throws(TransferFailure) {
            return try place(output, in: arguments.value(.directory), &places)
        } catch {
            guard error.code == .destinationExists, try await isKeyKnown() else { throw error }
            return try place(output, in: arguments.value(.directory), mayExist: true, &places)
        }
    }

    private func isKeyKnown() async throws(TransferFailure) -> Bool {
        guard let key = arguments.value(.key), arguments.has(.output) else { return false }
        let service = try await world.connect(true)
        defer { service.close() }
        let page = try await service.list(ListQuery(key: key, limit: 1), in: try LocalCheck.session(arguments))
        return !page.transfers.isEmpty
    }

    /// The downloads of the Metalinks.
    private func linked(_ places: inout ListPlaces) async throws(TransferFailure) -> [Order] {
        let reader = MetalinkOrders(arguments: arguments, world: world, template: template, continuing: continuing)
        var orders: [Order] = []
        for metalink in metalinks { orders += try await reader.orders(of: metalink, &places) }
        return orders
    }

    /// The download of one URL.
    func spec(
        of target: URLGlob.Match, _ place: DownloadPlace, _ proof: Proof
    ) throws(TransferFailure) -> TransferSpec {
        let listed = try proof.list.map { list throws(TransferFailure) in try self.listed(in: list, target) }
        var spec = try spec(
            target.url, arguments.values(.mirror), place, headers: [], digest: listed ?? digest)
        spec.prove(by: proof.signature, range)
        return spec
    }

    typealias Proof = (list: ChecksumList?, signature: DetachedSignature?)

    /// Fetches the list of checksums and the signature that verify the files.
    func proof() async throws(TransferFailure) -> Proof {
        guard let first = targets.first, arguments.has(.checksumFile) || arguments.has(.signature) else {
            return (nil, nil)
        }
        let target = try LocalCheck.url(first.url)
        let fetch = ProofFetch(world: world, session: try LocalCheck.session(arguments), template: template)
        var list: ChecksumList?
        var signature: DetachedSignature?
        if let url = arguments.value(.checksumFile) {
            list = try await fetch.checksums(url, for: target, mirrors: arguments.values(.mirror))
        }
        if let url = arguments.value(.signature), let keyring {
            let bytes = try await fetch.read(url, for: target)
            guard OpenPGPFile.isSignature(bytes) else {
                throw .usage(
                    "Cannot read the file of --signature: it is not a detached OpenPGP signature. Check its URL.")
            }
            signature = DetachedSignature(bytes: bytes, keyring: keyring)
        }
        return (list, signature)
    }

    private func listed(in list: ChecksumList, _ target: URLGlob.Match) throws(TransferFailure) -> Digest {
        let url = try LocalCheck.url(target.url)
        if let digest = list.digest(ofFileAt: url.decodedPath) { return digest }
        throw TransferFailure(
            .digestMismatch, tr("The list of --checksum-file has no checksum, or different ones, for \(url.redacted)."))
    }

    /// Returns the name of a file that may exist, before the server suggests one.
    private func expected(_ given: String?, _ url: String) throws(TransferFailure) -> String? {
        let url = try LocalCheck.url(url)
        if let given { return given }
        let own = SafeFileName.make(from: nil, url: url.text)
        let isExpected =
            [.newer, .urlName].contains(where: arguments.has) || existing != nil || continuing?.hasOwnName == true
        // The file to resume may be named although its name is that of the download. A path that cannot be a file is not it.
        let isNamed = (try? continuing?.isAt(own, in: arguments.value(.directory))) ?? false
        return isExpected || isNamed ? own : nil
    }

    private func place(
        _ output: String?, in directory: String?, mayExist: Bool = false, _ places: inout ListPlaces
    ) throws(TransferFailure) -> DownloadPlace {
        let isOwn = try continuing?.isAt(output, in: directory) ?? false
        return try places.place(
            output: output, directory: directory,
            overwrites: isOwn || existing != nil || arguments.has(.overwrite) || arguments.has(.newer),
            mayExist: mayExist,
            world: world)
    }

    private func source(_ orders: [Order]) throws(TransferFailure) -> OrderSource {
        guard let path = list else { return TransferRun.source(orders) }
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
        if isEmpty, targets.isEmpty, !Task.isCancelled { throw .usage("\(name) contains no URL.") }
    }

    /// The next orders of the list; none at its end.
    private func next(
        of reader: inout LineReader, _ list: inout InputList, _ places: inout ListPlaces, _ name: String
    ) throws(TransferFailure) -> [Order] {
        var batch: [Order] = []
        while batch.count < Order.batchSize {
            let item: InputList.Item?
            if let line = try reader.next() {
                item = list.parse(line)
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
                world.console.say("longhaul: \(subject): " + tr("Ignored \(names), which Longhaul does not have."))
            }
            do throws(TransferFailure) {
                for url in [entry.url] + entry.mirrors { try InputList.checkReadable(url) }
                let output = try expected(entry.fileName, entry.url)
                let place = try place(output, in: entry.directory ?? arguments.value(.directory), &places)
                var spec = try spec(entry.url, entry.mirrors, place, headers: entry.headers, digest: entry.digest)
                spec.options.segments = entry.segments ?? spec.options.segments
                spec.options.rateLimit = entry.rateLimit ?? spec.options.rateLimit
                try continuing?.resume(&spec)
                try existing?.apply(to: &spec)
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
        if arguments.has(.newer) { download.unchangedSince = place.path.flatMap(LocalFiles.date) }
        download.keepsRemoteTime = arguments.has(.remoteTime) || arguments.has(.newer)
        let url = try LocalCheck.url(url)
        var options = template.options
        for mirror in mirrors { options.mirrors.append(try LocalCheck.url(mirror).text) }
        return TransferSpec(
            work: .download(download), method: "GET", url: url.text, headers: template.headers(for: url, headers),
            options: options, network: template.network)
    }
}

extension TransferSpec {
    fileprivate mutating func prove(by signature: DetachedSignature?, _ range: FilePart?) {
        download?.signature = signature
        download?.range = range
    }

    /// The URL as it may be shown; it was checked before, so the empty text is never seen.
    var redactedURL: String { (try? TransferURL(parsing: url))?.redacted ?? "" }
}
