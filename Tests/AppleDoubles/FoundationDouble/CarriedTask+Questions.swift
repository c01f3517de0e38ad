// Double only: Apple has none of this.
import Synchronization

/// Redirects and challenges. A session of the process asks its delegate; the system decides about those of background sessions.
extension SimulatedDevice.State {
    /// Asks about the server's certificate before the first request of a connection. A session has one connection to each host. Returns
    /// whether that is the step of the task.
    mutating func questionTrust(_ key: String, _ task: CarriedTask) -> Bool {
        guard let url = task.request.url, url.scheme == "https", let host = url.host,
            connections.insert("\(key) \(host)").inserted, isAwake
        else { return false }
        // Nothing waits for the delegate of a background session, which must not answer.
        trustQuestions += 1
        tasks[key]?[task.number]?.isDeciding = task.isOfProcess
        kept[key, default: []].append((task.number, .trust))
        return true
    }

    /// Progress is not delivered later, and neither are questions of background sessions.
    mutating func forgetProgress(_ key: String) {
        kept[key]?.removeAll { _, word in
            if case .trust = word { !key.hasPrefix("#") } else { !word.isFinal }
        }
    }
}

extension SimulatedDevice {
    /// The number of questions to delegates about certificates of servers.
    public var trustQuestions: Int { state.withLock(\.trustQuestions) }
}

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
        if isOfProcess { return [.challenge(isOfProxy: answer.status == 407)] }
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

    /// Repeats the request with the system's credential, if there is one that was not used yet.
    mutating func answerByDefault(_ network: SimulatedNetwork) {
        isDeciding = false
        let isOfProxy = pending?.status == 407
        let name = isOfProxy ? "Proxy-Authorization" : "Authorization"
        let stored = sharing.usesStoredCredentials ? network.storedCredential : nil
        guard let credential = isOfProxy ? network.proxyCredential ?? stored : stored,
            request.value(forHTTPHeaderField: name) == nil
        else { return }
        request.setValue(credential, forHTTPHeaderField: name)
        follow(request)
    }
}
