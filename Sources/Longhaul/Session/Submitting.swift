import LonghaulSystem

/// Calls that start transfers. Each returns when the transfer is stored on disk.
///
/// These parameters are the same for all of them:
/// - `key`: The app's own name for the transfer. If the session already has a transfer with this key and the same request, the call
///   returns that transfer. If it failed or was cancelled, it starts again. An app can therefore repeat its calls at each launch. A
///   request that may have been processed (`outcomeUnknown`) is not sent again. For another request with the same key, the call fails
///   with `keyTaken`. ``LonghaulCore/TransferOptions/keyConflict`` changes this. Without a key, a call that fails with
///   `serviceUnavailable` may still have stored the transfer.
/// - `group`: The group in which the transfer is counted, listed, and limited.
/// - `options`, `network`: Default to those of the session's configuration.
///
/// A source file of unknown size, such as a pipe or a file in `/proc`, is read to its end and copied to the session's directory before
/// the call returns. The copy is deleted when the transfer has ended. On Apple systems, the same is true of every source file: the copy
/// shares the blocks of a file on the same volume, and takes space otherwise. A transfer without space for it fails with `diskFull`.
extension TransferSession {
    /// Downloads to a file. The file appears when it is complete.
    ///
    /// - Parameters:
    ///   - url: The source. Its scheme is `http` or `https`.
    ///   - directory: The directory of the file, which is created if it is missing.
    ///   - fileName: The name of the file. By default, the server suggests it. Otherwise it is the last segment of the URL.
    ///   - collision: What happens if a file of that name exists.
    ///   - expectedDigest: The digest that the file must have.
    ///   - headers: Header fields of the request.
    ///   - key: The app's own name for the transfer.
    ///   - group: The group of the transfer.
    ///   - options: The options of the transfer.
    ///   - network: The network options of the transfer.
    @discardableResult
    public func download(
        from url: String, to directory: String, fileName: String? = nil,
        collision: TransferSpec.Collision = .number, expectedDigest: Digest? = nil, headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await submit(
            .download(
                from: url, to: directory, fileName: fileName, collision: collision, expectedDigest: expectedDigest,
                headers: headers, options: self.options(options, key, group), network: network ?? configuration.network)
        )
    }

    /// Uploads a file as the body of one request.
    ///
    /// Longhaul reads the file when it is sent. On Linux, if the file changes before the upload has ended, the transfer fails with
    /// `sourceChanged`. Fails with `sourceMissing` or `sourceUnreadable`.
    @discardableResult
    public func upload(
        file path: String, to url: String, method: String = "PUT", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in .raw(try pin(path)) }
        return try await submit(upload, copies, method, url, headers, self.options(options, key, group), network)
    }

    /// Uploads bytes as the body of one request. They are stored in the session's directory until the transfer has ended.
    @discardableResult
    public func upload(
        data: [UInt8], to url: String, method: String = "PUT", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let body = try await backend.stage(data)
        return try await submit(
            .raw(body.source), [body], method, url, headers, self.options(options, key, group), network)
    }

    /// Uploads a form as `multipart/form-data` (RFC 7578). Its files are read when they are sent; each attempt sends the same bytes.
    ///
    /// A POST whose outcome is unknown is sent again only if ``LonghaulCore/TransferOptions/idempotencyKey`` is set; otherwise it fails with
    /// `outcomeUnknown`. Fails with `sourceMissing` or `sourceUnreadable`.
    @discardableResult
    public func upload(
        form fields: [FormField], to url: String, method: String = "POST", headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in
            try .multipart(fields, pin)
        }
        return try await submit(upload, copies, method, url, headers, self.options(options, key, group), network)
    }

    /// Uploads a file with tus 1.0, which resumes at the server's offset after an interruption.
    ///
    /// `url` creates uploads. `filename` and `filetype` are added to the metadata if they are missing, because some servers need them.
    @discardableResult
    public func uploadResumably(
        file path: String, to url: String, metadata: [String: String] = [:], headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in
            .resumable(try pin(path), named: path, metadata)
        }
        return try await submit(upload, copies, "POST", url, headers, self.options(options, key, group), network)
    }

    /// Sends a small request, whose response is stored with the transfer: see ``Transfer/response()``.
    ///
    /// The request is delivered even if this process ends before it is sent. Cancelling the task that waits for the response does not cancel
    /// the request. A request that is not idempotent, such as a POST, is sent again after an unknown outcome only if
    /// ``LonghaulCore/TransferOptions/idempotencyKey`` is set; otherwise it fails with `outcomeUnknown`.
    ///
    /// For the last request of an app that is about to exit, pass ``LonghaulCore/TransferOptions/atTermination``.
    @discardableResult
    public func request(
        _ url: String, method: String = "GET", body: [UInt8] = [], headers: any HeaderFields = [],
        key: String? = nil, group: String? = nil, options: TransferOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await submit(
            .request(
                url, method: method, body: body, headers: headers, options: self.options(options, key, group),
                network: network ?? configuration.network))
    }

    /// Starts many transfers, with one commit per thousand. Returns one result per spec, in the same order.
    ///
    /// A spec with default options, or default network options, gets those of the session's configuration.
    public func submit(
        _ specs: [TransferSpec]
    ) async throws(TransferFailure) -> [Result<Transfer, TransferFailure>] {
        try await answers(to: configuration.completing(specs)).map(transfer)
    }

    private func submit(
        _ upload: UploadSpec, _ copies: [StagedFile], _ method: String, _ url: String, _ headers: any HeaderFields,
        _ options: TransferOptions, _ network: NetworkOptions?
    ) async throws(TransferFailure) -> Transfer {
        let spec = TransferSpec(
            work: .upload(upload), method: method, url: url, headers: headers.headerFields, options: options,
            network: network ?? configuration.network)
        return try await submit(spec, copies)
    }

    private func submit(_ spec: TransferSpec, _ copies: [StagedFile] = []) async throws(TransferFailure) -> Transfer {
        // If this fails, a record may name the copies. Otherwise the next opening deletes them.
        let answer = try await answers(to: [spec])[0]
        if case .accepted = answer {} else { for copy in copies { copy.discard() } }
        return try transfer(answer).get()
    }

    private func answers(to specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        guard let prepare = configuration.world?.prepareClone else {
            return try await CheckedSubmission(specs).submit(to: backend)
        }
        let cloning = SourceCloning(layout: try await backend.layout(), prepare: prepare)
        var answers: [SubmissionAnswer] = []
        for start in stride(from: 0, to: specs.count, by: SourceCloning.batch) {
            let batch = Array(specs[start...].prefix(SourceCloning.batch))
            answers.append(contentsOf: try await CheckedSubmission(batch, cloning: cloning).submit(to: backend))
        }
        return answers
    }

    private func transfer(_ answer: SubmissionAnswer) -> Result<Transfer, TransferFailure> {
        switch answer {
        case .accepted(let id), .existing(let id): .success(transfer(id))
        case .refused(let failure): .failure(failure)
        }
    }

    private func options(_ options: TransferOptions?, _ key: String?, _ group: String?) -> TransferOptions {
        (options ?? configuration.options).named(key, group)
    }
}

extension TransferSession.Configuration {
    /// Returns specs whose default options are replaced by those of the configuration.
    func completing(_ specs: [TransferSpec]) -> [TransferSpec] {
        let (plainOptions, plainNetwork) = (TransferOptions(), NetworkOptions())
        guard options != plainOptions || network != plainNetwork else { return specs }
        return specs.map { spec in
            var spec = spec
            if spec.network == plainNetwork { spec.network = network }
            if spec.options == plainOptions.named(spec.options.key, spec.options.group) {
                spec.options = options.named(spec.options.key, spec.options.group)
            }
            return spec
        }
    }
}

extension TransferOptions {
    /// Options for a request that an app sends right before it exits.
    ///
    /// It has the highest priority, starts at once, and is sent again after an unknown outcome. Each use has a new
    /// ``idempotencyKey``, so that the server can detect a repeated request.
    public static var atTermination: TransferOptions {
        var options = TransferOptions()
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        options.idempotencyKey = TransferID(now: .now, random: random).description
        options.priority = TransferAdjustment.priorities.upperBound
        options.isAttended = true
        return options
    }

    /// Returns the options with a key and a group that are not `nil`.
    func named(_ key: String?, _ group: String?) -> TransferOptions {
        var options = self
        if let key { options.key = key }
        if let group { options.group = group }
        return options
    }
}
