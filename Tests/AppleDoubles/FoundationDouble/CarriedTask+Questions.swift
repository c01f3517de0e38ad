// Double only: Apple has none of this.
/// Redirects and challenges. A session of the process asks its delegate; the system decides about those of background sessions.
extension CarriedTask {
    private static let redirectLimit = 20

    /// Returns the events before the answer counts; `nil` if it counts.
    mutating func question(about answer: SimulatedNetwork.Answer, _ network: SimulatedNetwork) -> [Callback]? {
        guard let url = request.url,
            let head = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        else { return nil }
        if let proposal = redirect(after: answer, from: url) {
            guard hops < Self.redirectLimit else {
                return finish(
                    with: NSError(domain: NSURLErrorDomain, code: URLError.Code.httpTooManyRedirects.rawValue))
            }
            pending = answer
            isDeciding = isOfProcess
            if isOfProcess { return [.redirect(head, proposal)] }
            follow(proposal)
            return []
        }
        guard [401, 407].contains(answer.status), answer.headers.keys.contains(where: { $0.hasSuffix("-Authenticate") })
        else { return nil }
        pending = answer
        isDeciding = isOfProcess
        if isOfProcess { return [.challenge(NSURLAuthenticationMethodHTTPBasic)] }
        answerByDefault(network)
        return []
    }

    /// As browsers do: a POST becomes a GET after 301 and 302, and any request after 303.
    private func redirect(after answer: SimulatedNetwork.Answer, from url: URL) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(answer.status),
            let target = answer.headers["Location"].flatMap({ URL(string: $0, relativeTo: url) })
        else { return nil }
        var proposal = request
        proposal.url = target.absoluteURL
        if answer.status == 303 || answer.status < 303 && request.httpMethod == "POST" { proposal.httpMethod = "GET" }
        return proposal
    }

    /// The delegate's decision about a redirect; `nil`: its response counts.
    mutating func follow(_ next: URLRequest?) {
        isDeciding = false
        guard let next else { return }
        hasLostBody = hasLostBody || next.httpMethod != request.httpMethod
        hops += 1
        request = next
        pending = nil
        beginAnew()
        isAsked = false
    }

    /// Repeats the request with the stored credential, if there is one that was not used yet.
    mutating func answerByDefault(_ network: SimulatedNetwork) {
        isDeciding = false
        guard usesStoredCredentials, let stored = network.storedCredential,
            request.value(forHTTPHeaderField: "Authorization") == nil
        else { return }
        request.setValue(stored, forHTTPHeaderField: "Authorization")
        follow(request)
    }
}
