import LonghaulCore
import LonghaulMetalink
import LonghaulSystem

/// Turns Metalinks into downloads: one for each file, with its sources, length, and digests.
struct MetalinkOrders {
    let arguments: Arguments
    let world: World
    let template: TransferTemplate
    let continuing: Continuing?
    /// The directory of a file that goes to standard output, which needs no name.
    var outputDirectory: String?

    /// Whether an operand is a Metalink by its name, as with aria2.
    static func isMetalink(_ operand: String) -> Bool {
        let path = operand.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return path.hasSuffix(".meta4") || path.hasSuffix(".metalink")
    }

    /// Refuses options for values that a Metalink itself contains.
    static func checkOptions(_ arguments: Arguments) throws(TransferFailure) {
        let others: [Option] = [
            .sha256, .checksum, .checksumFile, .signature, .mirror, .range, .newer, .skipExisting, .key,
            .idempotencyKey,
        ]
        if let option = others.first(where: arguments.has) {
            throw .usage("--\(option.long) does not work with a Metalink, which describes its files itself.")
        }
    }

    func orders(of text: String, _ places: inout ListPlaces) async throws(TransferFailure) -> [Order] {
        let (bytes, origin) = try await document(text)
        let metalink: Metalink
        do throws(TransferFailure) {
            metalink = try Metalink(parsing: bytes)
        } catch {
            throw TransferFailure(error.code, "\(shown(text)): \(error.message)")
        }
        if metalink.files.count > 1, arguments.has(.output) {
            throw .usage(
                "-o names one file, and \(shown(text)) has \(metalink.files.count). Choose a directory with -d.")
        }
        if metalink.files.count > 1 { try continuing?.checkSeveral() }
        var orders: [Order] = []
        for file in metalink.files {
            do throws(TransferFailure) {
                let spec = try spec(file, from: origin, &places)
                orders.append(.transfer(spec, subject: file.name))
            } catch  where metalink.files.count > 1 {
                orders.append(.refused(subject: file.name, error))
            }
        }
        return orders
    }

    /// Returns the document, and its origin unless it is a file.
    private func document(_ text: String) async throws(TransferFailure) -> (bytes: [UInt8], origin: String?) {
        guard text.contains("://") else {
            return (try LocalFiles.readAll(world.absolute(text), limit: Metalink.mostBytes), nil)
        }
        let url = try LocalCheck.url(text)
        let fetch = ProofFetch(world: world, session: try LocalCheck.session(arguments), template: template)
        return (try await fetch.fetch(text, for: url), url.origin)
    }

    private func shown(_ text: String) -> String {
        (try? TransferURL(parsing: text))?.redacted ?? DisplayText.clean(text)
    }

    /// Returns the directory of a file. The directories that a Metalink names are real ones below the target directory.
    private func directory(of file: Metalink.File) throws(TransferFailure) -> String? {
        if let outputDirectory { return outputDirectory }
        let target = arguments.value(.directory)
        guard !file.directories.isEmpty, !arguments.has(.output) else { return target }
        var path = target ?? "."
        for name in file.directories {
            path += "/" + name
            guard LocalFiles.isRealDirectory(world.absolute(path)) || !LocalFiles.exists(world.absolute(path)) else {
                throw TransferFailure(
                    .destinationUnwritable,
                    tr(
                        "\(DisplayText.clean(path)) is a file or a link, and the Metalink needs a directory there. Remove it, or choose another directory with -d."
                    ))
            }
        }
        return path
    }

    /// The name that the Metalink gives a file is a suggestion.
    private func acceptedName(of file: Metalink.File, in directory: String?) throws(TransferFailure) -> String {
        let place = try DownloadPlace(output: nil, directory: directory, overwrites: false, world: world)
        if directory != nil { try place.makeDirectory() }
        return LocalPaths.acceptedName(for: file.name, in: place.directory)
    }

    /// Other origins than that of the Metalink get no secrets.
    private func spec(
        _ file: Metalink.File, from origin: String?, _ places: inout ListPlaces
    ) throws(TransferFailure) -> TransferSpec {
        let directory = try directory(of: file)
        let output = outputDirectory == nil ? arguments.value(.output) : nil
        let name = if let output { output } else { try acceptedName(of: file, in: directory) }
        let old = try DownloadPlace(output: name, directory: directory, overwrites: true, world: world).path
        let mends = file.pieces != nil && old.map(LocalFiles.exists) ?? false
        let isOwn = try continuing?.isAt(name, in: directory) ?? false
        let place = try places.place(
            output: name, directory: directory, overwrites: arguments.has(.overwrite) || mends || isOwn,
            length: file.size, world: world)
        try places.claim(place, by: "\"\(DisplayText.clean(file.name))\"")
        var download = DownloadSpec(
            directory: place.directory, fileName: place.fileName, collision: place.collision,
            expectedDigest: file.digest)
        download.creationMask = world.creationMask
        download.keepsRemoteTime = arguments.has(.remoteTime)
        download.expectedLength = file.size
        download.pieces = file.pieces
        download.repairs = mends
        let url = try LocalCheck.url(file.urls[0])
        var (options, network) = (template.options, template.network)
        options.mirrors = Array(file.urls.dropFirst().prefix(MirrorTable.mostPlaces - 1))
        var headers = template.headers(for: url)
        if url.origin != origin {
            headers.removeAll(where: \.isSecret)
            options.credentialName = nil
            network = network.withoutIdentity
        }
        var spec = TransferSpec(
            work: .download(download), method: "GET", url: url.text, headers: headers, options: options,
            network: network)
        try continuing?.resume(&spec)
        return spec
    }
}
