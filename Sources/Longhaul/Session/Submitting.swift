import LonghaulClient
import LonghaulSystem

/// Starting transfers. Each call returns when the transfer is on disk.
///
/// `key` is the app's own name for a transfer. With the default policy, submitting a key that the session has joins its
/// transfer, and starts it again if it has failed or was cancelled: an app may simply ask again at every
/// launch. A request that may have been done (`outcomeUnknown`) is not sent again. Without a key, a call that fails with
/// `serviceUnavailable` leaves open whether the transfer was kept.
///
/// A file to upload whose size is unknown, such as a pipe or a file in `/proc`, is read to its end and copied to the session's
/// directory before the call returns. The copy is deleted when the transfer has ended.
extension TransferSession {
    /// Downloads to a file that appears whole or not at all.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - directory: The directory of the file; it is made if it is missing.
    ///   - fileName: The file's name; `nil` lets the server suggest one, else the URL's last segment is used.
    ///   - collision: What happens when there is a file of that name.
    ///   - expectedDigest: What the whole file must have.
    ///   - headers: Fields of the request.
    ///   - key: The app's own name for the transfer.
    ///   - options: How it queues, repeats and ends; `nil` for those of the session's configuration.
    ///   - network: How it connects; `nil` for that of the session's configuration.
    @discardableResult
    public func download(
        from url: String, to directory: String, fileName: String? = nil,
        collision: TransferSpec.Collision = .number, expectedDigest: Digest? = nil, headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await submit(
            .download(
                from: url, to: directory, fileName: fileName, collision: collision, expectedDigest: expectedDigest,
                headers: headers, options: self.options(options, key), network: network ?? configuration.network))
    }

    /// Sends a file as the body of one request.
    ///
    /// The file is read where it is when its turn comes. If it was changed since this call, the transfer ends with
    /// `sourceChanged`: two versions are never mixed.
    @discardableResult
    public func upload(
        file path: String, to url: String, method: String = "PUT", headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in .raw(try pin(path)) }
        let spec = TransferSpec(
            work: .upload(upload), method: method, url: url, headers: headers, options: self.options(options, key),
            network: network ?? configuration.network)
        return try await submit(spec, copies)
    }

    /// Sends bytes as the body of one request. They are first written to the session's directory, and deleted there
    /// when the transfer has ended.
    @discardableResult
    public func upload(
        data: [UInt8], to url: String, method: String = "PUT", headers: [HeaderField] = [], key: String? = nil,
        options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let body = try await backend.stage(data)
        let spec = TransferSpec(
            work: .upload(.raw(body.source)), method: method, url: url, headers: headers,
            options: self.options(options, key), network: network ?? configuration.network)
        return try await submit(spec, [body])
    }

    /// Sends a form as `multipart/form-data`. Its files are read where they are; the same bytes are sent at every attempt.
    @discardableResult
    public func upload(
        form fields: [FormField], to url: String, method: String = "POST", headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in
            try .multipart(fields, pin)
        }
        let spec = TransferSpec(
            work: .upload(upload), method: method, url: url, headers: headers, options: self.options(options, key),
            network: network ?? configuration.network)
        return try await submit(spec, copies)
    }

    /// Sends a file by tus 1.0, which goes on at the server's offset after an interruption.
    ///
    /// `url` is where uploads are created. `filename` and `filetype` are added to the metadata when they are missing:
    /// some servers cannot do without them.
    @discardableResult
    public func uploadResumably(
        file path: String, to url: String, metadata: [String: String] = [:], headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let (upload, copies) = try await backend.inspecting { pin throws(TransferFailure) in
            .resumable(try pin(path), named: path, metadata)
        }
        let spec = TransferSpec(
            work: .upload(upload), method: "POST", url: url, headers: headers, options: self.options(options, key),
            network: network ?? configuration.network)
        return try await submit(spec, copies)
    }

    /// Makes a small request; its response is kept. It is delivered also when this process ends before it could be sent.
    ///
    /// A request that is not idempotent, such as a POST, is sent again after an unclear end only if
    /// `options.idempotencyKey` is set; else it ends with `outcomeUnknown`.
    @discardableResult
    public func request(
        _ url: String, method: String = "GET", body: [UInt8] = [], headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        try await submit(
            .request(
                url, method: method, body: body, headers: headers, options: self.options(options, key),
                network: network ?? configuration.network))
    }

    /// Sends the last request of an app that is about to end. It is on disk, in one commit, when this returns: from then on
    /// the process may die. It goes ahead of what waits and is tried at once; in `.service` execution the service delivers
    /// it when this process is gone.
    ///
    /// It is delivered at least once. An `Idempotency-Key` is added unless there is one, so that a server which knows it
    /// acts on a repeated request once.
    @discardableResult
    public func send(
        _ url: String, method: String = "POST", body: [UInt8] = [], headers: [HeaderField] = [],
        key: String? = nil, options: TransferOptions? = nil, network: NetworkOptions? = nil
    ) async throws(TransferFailure) -> Transfer {
        let request = TransferSpec.request(
            url, method: method, body: body, headers: headers, options: self.options(options, key),
            network: network ?? configuration.network)
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return try await submit(request.asLastRequest(random: random, now: .now))
    }

    /// Starts many transfers at once, with one commit for every thousand. The answers are in the order of the question.
    ///
    /// The session's configuration adds nothing to them: each says its own options.
    public func submit(
        _ specs: [TransferSpec]
    ) async throws(TransferFailure) -> [Result<Transfer, TransferFailure>] {
        try await zip(specs, answers(to: specs)).map { transfer($1, key: $0.options.key) }
    }

    private func submit(_ spec: TransferSpec, _ copies: [StagedFile] = []) async throws(TransferFailure) -> Transfer {
        // If this fails, a record may name the copies. If none does, the next opening deletes them.
        let answer = try await answers(to: [spec])[0]
        if case .accepted = answer {} else { for copy in copies { copy.discard() } }
        return try transfer(answer, key: spec.options.key).get()
    }

    private func answers(to specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        try await CheckedSubmission(specs).submit(to: backend)
    }

    private func transfer(_ answer: SubmissionAnswer, key: String?) -> Result<Transfer, TransferFailure> {
        switch answer {
        case .accepted(let id), .existing(let id): .success(Transfer(id: id, key: key, backend: backend))
        case .refused(let failure): .failure(failure)
        }
    }

    private func options(_ options: TransferOptions?, _ key: String?) -> TransferOptions {
        var options = options ?? configuration.options
        if let key { options.key = key }
        return options
    }
}
