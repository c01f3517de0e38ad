import LonghaulCore

extension Option {
    fileprivate static let form = Option(
        "form", "F", value: "NAME=VALUE|NAME=@FILE", "Add a form field or a file; repeatable")
    fileprivate static let formText = Option(
        "form-string", value: "NAME=VALUE", "Add a form field; VALUE is plain text")
    fileprivate static let method = Option("method", "X", value: "METHOD", "Use METHOD (default: PUT; forms: POST)")
    fileprivate static let tus = Option("tus", nil, "Upload resumably with tus 1.0; URL is the creation URL")
    fileprivate static let metadata = Option(
        "metadata", value: "KEY=VALUE", "Add tus metadata; repeatable")
}

extension OptionGroup {
    /// The groups of the options that only uploads have.
    fileprivate static let upload: [OptionGroup] = [
        OptionGroup(
            "Files and forms", [.form, .formText, .method],
            notes: [
                "An upload follows redirects that repeat the request (307, 308). A 301, 302, or 303 ends it with "
                    + "`redirectRefused`, and `longhaul show` shows the target. Many sites respond to a form this "
                    + "way after a success.",
                "Enclose a value, path, or name with a semicolon, or with spaces at its ends, in double quotes: `-F "
                    + "'f=@\"a;b.txt\"'`. Unlike curl, `<` at the start of a value and commas have no special "
                    + "meaning.",
                "The command prints the body of the response, on a terminal only if it is text. Devices, sockets, "
                    + "and directories cannot be uploaded.",
            ],
            examples: [
                .init(
                    "longhaul upload -F 'photo=@a.jpg;type=image/jpeg;filename=b.jpg' https://example.org/photos",
                    "Submit a form, with a media type and a file name")
            ]),
        OptionGroup(
            "Resuming", [.tus, .metadata, .again],
            notes: [
                "A tus upload always has the metadata `filename` and `filetype`; `--metadata` adds to them or "
                    + "replaces them.",
                Option.joined,
            ],
            examples: [
                .init(
                    "longhaul upload --tus --metadata title=Holiday film.mp4 https://example.org/uploads",
                    "Upload to a tus server, with metadata")
            ]),
    ]
}

extension Command {
    static let upload = Command(
        "upload", "FILE… URL [options]", "Upload files",
        groups: OptionGroup.upload + OptionGroup.transfer,
        common: [
            .form, .tus, .method, .user, .header, .limitRate, .retry, .noMetered, .detach, .quiet,
        ],
        examples: [
            .init("longhaul upload a.jpg b.jpg https://example.org/album/", "Send each file with PUT"),
            .init("longhaul upload --tus film.mp4 https://example.org/uploads", "Upload to a tus server, resumably"),
            .init("longhaul upload -F title=Holiday -F photo=@a.jpg https://example.org/photos", "Submit a form"),
        ],
        notes: [
            "Each FILE is a separate transfer, the body of one PUT request. If the URL ends with /, Longhaul appends "
                + "the file name. FILE - is standard input. Longhaul copies standard input, pipes, and files of unknown "
                + "size first.",
            "A form is one POST request. A field may set its type and file name: "
                + "-F 'photo=@a.jpg;type=image/jpeg;filename=b.jpg'",
            Option.joining,
            Option.transferUnits,
        ],
        run: { arguments, world throws(TransferFailure) in
            try await UploadOrders(arguments, world).start()
        })
}

/// Turns the command line into uploads.
struct UploadOrders: Sendable {
    private let arguments: Arguments
    private let world: World
    private let template: TransferTemplate
    private let session: SessionID
    private let files: [String]
    private let url: TransferURL
    private let collection: FileURL

    init(_ arguments: Arguments, _ world: World) throws(TransferFailure) {
        self.arguments = arguments
        self.world = world
        guard let last = arguments.operands.last else { throw .misuse("An upload needs a URL.") }
        if !last.contains("://") { throw Self.noURL(last, arguments, world) }
        files = arguments.operands.dropLast()
        if let directory = files.first(where: { LocalFiles.isDirectory(world.absolute($0)) }) {
            throw Habit.directoryUpload(directory, to: last)
        }
        url = try LocalCheck.url(last)
        collection = FileURL(collection: url)
        session = try LocalCheck.session(arguments)
        let isForm = arguments.has(.form) || arguments.has(.formText)
        if isForm && arguments.has(.tus) { throw .usage("Choose one of --form and --tus.") }
        if isForm && !files.isEmpty { throw .usage("The files of a form must be written -F NAME=@FILE.") }
        if !isForm && files.isEmpty { throw .misuse("An upload needs a file before the URL.") }
        if arguments.has(.metadata) && !arguments.has(.tus) { throw .usage("--metadata needs --tus.") }
        if arguments.has(.method) && arguments.has(.tus) {
            throw .usage("--method does not work with --tus, which has its own methods.")
        }
        if files.count(where: { $0 == "-" }) > 1 { throw .usage("Standard input can be uploaded only once.") }
        if files.count > 1 {
            for option in [Option.key, .idempotencyKey] where arguments.has(option) {
                throw .usage("--\(option.long) works with one file only.")
            }
            if !arguments.has(.tus) && !url.path.hasSuffix("/") {
                throw .usage("For several files, the URL must end in /. Longhaul adds their names.")
            }
        }
        template = try TransferTemplate(arguments, world)
    }

    private static func noURL(_ last: String, _ arguments: Arguments, _ world: World) -> TransferFailure {
        let words = arguments.typed
        if let url = words.first(where: { $0.contains("://") }) {
            // The files come first, as with cp.
            return .usage(
                "The URL comes after the files. Type: \(ShellText.line(["upload"] + words.filter { $0 != url } + [url]))"
            )
        }
        guard HostText.isHost(last), !LocalFiles.exists(world.absolute(last)) else {
            return .misuse("An upload needs a URL after the files.")
        }
        let typed = words.map { $0 == last ? HostText.url(last) : $0 }
        return TransferFailure(
            .invalidURL, tr("A URL begins with https:// or http://. Type: \(ShellText.line(["upload"] + typed))"))
    }

    func start() async throws(TransferFailure) -> ExitStatus {
        if files.isEmpty {
            let orders = [Order.transfer(try form(), subject: url.redacted)]
            return try await TransferRun.start(arguments, world, TransferRun.source(orders)).status
        }
        // Reports a fault of the first files before anything is submitted.
        let head = files.prefix(Self.headSize)
        let first = try head.map { file throws(TransferFailure) in Order.transfer(try spec(of: file), subject: file) }
        return try await TransferRun.start(arguments, world, source(first, rest: files.dropFirst(head.count))).status
    }

    /// The number of files to inspect before the first are submitted.
    private static let headSize = 500

    /// Inspects the next files while earlier orders are being sent. An unreadable file does not stop the others.
    private func source(_ first: [Order], rest: ArraySlice<String>) -> OrderSource {
        { deliver throws(TransferFailure) in
            try await deliver(first)
            for files in stride(from: rest.startIndex, to: rest.endIndex, by: Order.batchSize) {
                try await deliver(rest[files..<min(files + Order.batchSize, rest.endIndex)].map(order))
            }
        }
    }

    private func order(_ file: String) -> Order {
        do throws(TransferFailure) {
            return .transfer(try spec(of: file), subject: file)
        } catch {
            return .refused(subject: file, error)
        }
    }

    private func spec(of file: String) throws(TransferFailure) -> TransferSpec {
        arguments.has(.tus) ? try tus(file) : try raw(file)
    }

    private func raw(_ file: String) throws(TransferFailure) -> TransferSpec {
        let method = try LocalCheck.method(arguments.value(.method) ?? "PUT")
        var target = url.text
        if url.path.hasSuffix("/") {
            guard file != "-" else { throw .usage("Standard input has no name. The URL must end in one.") }
            target = collection.appending(file.baseName ?? "file")
        }
        return spec(.raw(try source(file)), method, try LocalCheck.url(target).text)
    }

    private func form() throws(TransferFailure) -> TransferSpec {
        var parts: [FormPart] = []
        for (option, text) in arguments.values([.form, .formText]) {
            parts.append(option == .form ? try FormField.parse(text, world, session) : try Self.textPart(text))
        }
        if let failure = FormLayout.check(parts: parts) { throw failure }
        let boundary = FormLayout.boundary(random: (world.random(), world.random()))
        let method = try LocalCheck.method(arguments.value(.method) ?? "POST")
        return spec(.form(boundary: boundary, parts: parts), method, url.text)
    }

    private func tus(_ file: String) throws(TransferFailure) -> TransferSpec {
        var pairs: [MetadataPair] = []
        for text in arguments.values(.metadata) {
            let key = text.prefix { $0 != "=" }
            pairs.append(MetadataPair(key: String(key), value: String(text[key.endIndex...].dropFirst())))
        }
        let name = file == "-" ? "stdin" : file.baseName ?? "file"
        // Some servers require these two.
        if !pairs.contains(where: { $0.key == "filename" }) { pairs.append(MetadataPair(key: "filename", value: name)) }
        if !pairs.contains(where: { $0.key == "filetype" }) {
            pairs.append(MetadataPair(key: "filetype", value: MediaType.guess(fileName: name)))
        }
        _ = try UploadMetadata.encode(pairs)
        return spec(.tus(try source(file), metadata: pairs), "POST", url.text)
    }

    private func spec(_ upload: UploadSpec, _ method: String, _ url: String) -> TransferSpec {
        TransferSpec(
            work: .upload(upload), method: method, url: url, headers: template.headers(for: self.url),
            options: template.options,
            network: template.network)
    }

    private func source(_ file: String) throws(TransferFailure) -> SourceFile {
        file == "-" ? try world.stage(world.input, session) : try world.inspect(world.absolute(file), session)
    }

    private static func textPart(_ text: String) throws(TransferFailure) -> FormPart {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw .usage("A form field must be name=value, not \"\(text)\".")
        }
        let value = String(text[text.index(after: equals)...])
        return FormPart(name: String(text[..<equals]), content: .text(value))
    }
}
