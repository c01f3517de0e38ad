/// The protocol of credential helpers, which is that of git (gitcredentials(7), git-credential(1), section "INPUT/OUTPUT FORMAT"):
/// lines `key=value`, in UTF-8.
///
/// It adds two keys: `name`, the credential's name, which git's own helpers ignore; and `header` in an answer, a whole header such as
/// `X-Api-Key: secret`.
package enum HelperProtocol {
    /// The maximum length of an answer in bytes.
    package static let answerLimit = 64 << 10

    /// Returns why this cannot be a helper's command; `nil` if it can. An empty command means no helper.
    package static func flaw(of command: [String]) -> TransferFailure? {
        if let first = command.first, first.isEmpty || !command.allSatisfy(OutgoingText.isCString) {
            return TransferFailure(.invalidArgument, "A helper must be a program with its arguments.")
        }
        guard command.reduce(0, { $0 + $1.utf8.count }) <= 4_096 else {
            return TransferFailure(
                .invalidArgument, "The command of a helper must have at most 4096 bytes. Use a script.")
        }
        return nil
    }

    /// Returns the input of `get`, or of `store` and `erase` with the given credential.
    package static func input(_ request: CredentialRequest, _ credential: Credential? = nil) -> [UInt8] {
        guard let url = try? TransferURL(parsing: request.url) else { return [] }  // Made from a URL.
        let isUsual = url.port == (url.scheme == "https" ? 443 : 80)
        var lines = ["capability[]=authtype"]
        lines += ["protocol=\(url.scheme)", "host=" + url.host + (isUsual ? "" : ":\(url.port)")]
        switch credential {
        case .basic(let userName, let password): lines += ["username=\(userName)", "password=\(password)"]
        case .bearer(let token): lines += ["authtype=bearer", "credential=\(token)"]
        case .header(let field): lines += ["header=\(field.name): \(field.value)"]
        case .url, nil: if let userName = request.userName { lines.append("username=\(userName)") }
        }
        lines.append("name=\(request.name)")
        // A line break would add a line; a value with one is never accepted as a credential.
        return Array((lines.filter(OutgoingText.isLine).joined(separator: "\n") + "\n\n").utf8)
    }

    /// Returns the answer from the output of `get`.
    package static func answer(_ output: [UInt8]) -> CredentialAnswer {
        guard String(validating: output, as: UTF8.self) != nil else {
            return .none(.helperFailed("its answer is not UTF-8"))
        }
        var values: [String: String] = [:]
        for line in output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let clean = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if clean.isEmpty { break }
            guard let equals = clean.firstIndex(of: UInt8(ascii: "=")) else {
                return .none(.helperFailed("a line of its answer has no \"=\""))
            }
            values[String(decoding: clean[..<equals], as: UTF8.self)] =
                String(decoding: clean[clean.index(after: equals)...], as: UTF8.self)
        }
        if values["quit"] == "1" || values["quit"] == "true" { return .none(.helperHasNone) }
        guard let credential = credential(values) else { return .none(.helperHasNone) }
        let expiry = values["password_expiry_utc"].flatMap { Int64($0) }.map { WallTime(seconds: $0) }
        return .given(credential, expiresAt: expiry, isHelpers: true)
    }

    private static func credential(_ values: [String: String]) -> Credential? {
        if let line = values["header"], let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return .header(HeaderField(String(line[..<colon]), String(value), isSecret: true))
        }
        if let type = values["authtype"], let secret = values["credential"] {
            if type.lowercased() == "bearer" { return .bearer(secret) }
            return .header(HeaderField("Authorization", type + " " + secret, isSecret: true))
        }
        guard let userName = values["username"], let password = values["password"] else { return nil }
        return .basic(userName: userName, password: password)
    }
}
