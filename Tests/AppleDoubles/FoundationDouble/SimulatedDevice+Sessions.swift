// Double only: Apple has none of this.
import Synchronization

/// The device's interface for URLSession and its tasks, and the delivery of events.
extension SimulatedDevice {
    private func key(_ session: URLSession) -> String {
        session.configuration.identifier ?? "#\(ObjectIdentifier(session).hashValue)"
    }

    func connect(_ session: URLSession) {
        let key = key(session)
        let (isAwake, owesFinish) = state.withLock { state in
            if let other = state.links[key], other !== session {
                state.violations.append("there are two session objects for \(key)")
            }
            state.links[key] = session
            state.configurations[key] = session.configuration
            state.tasks[key] = state.tasks[key] ?? [:]
            return (state.isAwake, state.owesFinish.remove(key) != nil)
        }
        if isAwake { deliverEvents(key, andFinish: owesFinish) }
    }

    func create(_ session: URLSession, _ request: URLRequest, _ kind: CarriedTask.Kind) -> Int {
        let key = key(session)
        return state.withLock { state in
            let (number, serial) = state.count(key)
            state.timeSpentMaking += Self.timeToMakeOne
            var task = CarriedTask(number: number, serial: serial, kind: kind, request: request)
            task.isOfProcess = key.hasPrefix("#")
            task.sharing = CarriedTask.Sharing(session.configuration)
            if session.configuration.httpShouldSetCookies, task.sharing.storesCookies, let cookie = state.network.cookie
            {
                task.request.setValue(cookie, forHTTPHeaderField: "Cookie")
            }
            if case .data = kind, !key.hasPrefix("#") {
                state.violations.append("a background session was given a data task")
            }
            if state.app != .foreground {
                task.notBefore = state.now + state.launchDelay
                task.isMadeBehind = true
            }
            if case .upload(let file) = kind, !FileManager.default.fileExists(atPath: file.path) {
                state.violations.append("an upload task was created from a missing file: \(file.path)")
            }
            state.add(task, to: session, key)
            state.diary.append("task \(serial) of \(key): \(task.summary)")
            return task.number
        }
    }

    /// Resume data can be used once; a second task starts without it and fails.
    func create(_ session: URLSession, resuming data: Data) -> (Int, URLRequest) {
        let key = key(session)
        return state.withLock { state in
            let (number, serial) = state.count(key)
            let nowhere = URLRequest(url: URL(fileURLWithPath: "/"))
            let old = state.resumeTokens.removeValue(forKey: data)
            if old == nil { state.violations.append("resume data was used twice") }
            var task = old ?? CarriedTask(number: 0, serial: 0, kind: .download, request: nowhere)
            (task.number, task.serial) = (number, serial)
            task.state = .suspended
            task.description = nil
            task.begunAt = nil
            task.isMadeBehind = state.app != .foreground
            task.notBefore = task.isMadeBehind ? state.now + state.launchDelay : 0
            if case .upload = task.kind { task.isToAsk = true } else { task.answerWithTheRest() }
            task.refusal = state.refusal ?? task.refusal
            task.isOfProcess = key.hasPrefix("#")
            task.sharing = CarriedTask.Sharing(session.configuration)
            state.add(task, to: session, key)
            state.diary.append("task \(serial) of \(key) resumes: \(task.summary)")
            return (number, task.request)
        }
    }

    func task(_ number: Int, of session: URLSession) -> CarriedTask? {
        let key = key(session)
        return state.withLock { $0.tasks[key]?[number] }
    }

    /// An object of a process that has ended changes nothing.
    func change(_ task: URLSessionTask, _ body: (inout CarriedTask) -> Void) {
        let key = key(task.session)
        state.withLock { state in
            guard task.session.process == state.process, var carried = state.tasks[key]?[task.taskIdentifier] else {
                return
            }
            body(&carried)
            state.tasks[key]?[task.taskIdentifier] = carried
        }
    }

    @discardableResult
    func cancel(_ task: URLSessionTask, producesResumeData: Bool) -> Data? {
        let key = key(task.session)
        let token = state.withLock { state -> Data? in
            guard task.session.process == state.process else { return nil }
            return state.cancel(key, task.taskIdentifier, reason: nil, producesResumeData: producesResumeData)
        }
        if state.withLock(\.isAwake) { deliverEvents(key) }
        return token
    }

    func allTasks(of session: URLSession, _ reply: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let key = key(session)
        let numbers = state.withLock { state in
            (state.tasks[key] ?? [:]).values.filter { $0.state != .completed }.map(\.number).sorted()
        }
        let tasks = numbers.compactMap { object($0, session) }
        session.delegateQueue.addOperation { reply(tasks) }
        endListed(key)
    }

    /// Ends the tasks that a force-quit ended and that were listed once more.
    func endListed(_ key: String) {
        let hasEnded = state.withLock { state in
            guard state.isAwake, let numbers = state.listed.removeValue(forKey: key) else { return false }
            for number in numbers { state.cancel(key, number, reason: 0, producesResumeData: true) }
            return true
        }
        if hasEnded { deliverEvents(key) }
    }

    func invalidate(_ session: URLSession) {
        let key = key(session)
        session.invalidate()
        state.withLock { state in
            for number in (state.tasks[key] ?? [:]).keys {
                state.cancel(key, number, reason: nil, producesResumeData: false)
            }
        }
        deliverEvents(key)
        session.delegateQueue.addOperation { [self] in
            session.delegate?.urlSession(session, didBecomeInvalidWithError: nil)
            state.withLock { state in
                guard state.links[key] === session else { return }
                state.links[key] = nil
                if key.hasPrefix("#") { (state.tasks[key], state.kept[key]) = (nil, nil) }
            }
        }
    }

    /// The system makes a background session unusable, such as with -996, because another process uses its identifier.
    public func invalidate(_ identifier: String, code: URLError.Code) {
        guard let session = state.withLock({ $0.links[identifier] }) else { return }
        session.invalidate()
        session.delegateQueue.addOperation {
            session.delegate?.urlSession(
                session, didBecomeInvalidWithError: NSError(domain: NSURLErrorDomain, code: code.rawValue))
        }
    }

    private func object(_ number: Int, _ session: URLSession) -> URLSessionTask? {
        guard let task = task(number, of: session) else { return nil }
        if let object = session.object(number) { return object }
        return switch task.kind {
        case .upload: session.keep(URLSessionUploadTask(number, task.request, session))
        case .download: session.keep(URLSessionDownloadTask(number, task.request, session))
        case .data: session.keep(URLSessionDataTask(number, task.request, session))
        }
    }

    /// Delivers the undelivered events to the process, on the session's queue. Events that it does not get before its death are kept.
    func deliverEvents(_ key: String, andFinish: Bool = false) {
        let (found, count) = state.withLock { state in
            if state.links[key] == nil, andFinish { state.owesFinish.insert(key) }
            return (state.links[key], state.kept[key]?.count ?? 0)
        }
        guard let session = found else { return }
        for _ in 0..<count {
            session.delegateQueue.addOperation { [self] in telling.withLock { _ in sayNext(key, to: session) } }
        }
        guard andFinish else { return }
        session.delegateQueue.addOperation { [self] in
            let isPresent = state.withLock { state in
                if session.process == state.process { state.allToldAt[key] = state.ends.count }
                return session.process == state.process
            }
            guard isPresent else { return }
            session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        }
    }

    private func sayNext(_ key: String, to session: URLSession) {
        let next = state.withLock { state -> (Int, CarriedTask.Callback)? in
            guard session.process == state.process, state.isAwake, state.kept[key]?.isEmpty == false else { return nil }
            return state.kept[key]?.removeFirst()
        }
        guard let (number, word) = next else { return }
        say(word, of: number, to: session)
        guard case .complete(let error) = word else { return }
        session.forget(number)
        state.withLock { state in
            guard let task = state.tasks[key]?.removeValue(forKey: number) else { return }
            state.ends.append(ReportedEnd(key, task, error))
            state.diary.append("told the end of task \(task.serial) (\(task.description ?? "no name"))")
        }
    }

    private func permit(_ task: URLSessionDataTask, _ disposition: URLSession.ResponseDisposition) {
        guard disposition == .allow else { return _ = cancel(task, producesResumeData: false) }
        change(task) { $0.isDeciding = false }
    }

    private func answer(_ task: URLSessionTask, _ disposition: URLSession.AuthChallengeDisposition) {
        let network = network
        switch disposition {
        case .performDefaultHandling: change(task) { $0.answerByDefault(network) }
        case .useCredential, .rejectProtectionSpace: change(task) { $0.isDeciding = false }
        case .cancelAuthenticationChallenge: cancel(task, producesResumeData: false)
        }
    }

    /// The delegate's method for the session comes first. Without it, the task's is called.
    private func askAboutTrust(_ task: URLSessionTask, _ session: URLSession) {
        let challenge = URLAuthenticationChallenge(NSURLAuthenticationMethodServerTrust)
        let decision = Mutex(URLSession.AuthChallengeDisposition.performDefaultHandling)
        session.delegate?.urlSession(session, didReceive: challenge) { disposition, _ in
            decision.withLock { $0 = disposition }
        }
        if challenge.isUnanswered, let delegate = session.delegate as? any URLSessionTaskDelegate {
            challenge.isUnanswered = false
            delegate.urlSession(session, task: task, didReceive: challenge) { disposition, _ in
                decision.withLock { $0 = disposition }
            }
        }
        if session.configuration.identifier != nil, !challenge.isUnanswered {
            state.withLock { $0.violations.append("the delegate of a background session answers challenges") }
        }
        switch decision.withLock({ $0 }) {
        case .performDefaultHandling: change(task) { $0.isDeciding = false }
        case .useCredential, .cancelAuthenticationChallenge, .rejectProtectionSpace:
            cancel(task, producesResumeData: false)
        }
    }

    private func say(_ word: CarriedTask.Callback, of number: Int, to session: URLSession) {
        guard let task = object(number, session) else { return }
        switch (word, task) {
        case (.sent(let count, let total, let expected), _):
            (session.delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
        case (.resumed(let offset, let expected), let task as URLSessionDownloadTask):
            (session.delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
        case (.wrote(let count, let total, let expected), let task as URLSessionDownloadTask):
            (session.delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: task, didWriteData: count, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        case (.data(let data), let task as URLSessionDataTask):
            (session.delegate as? any URLSessionDataDelegate)?.urlSession(session, dataTask: task, didReceive: data)
        case (.file(let data), let task as URLSessionDownloadTask):
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("CFNetwork-\(UUID()).tmp")
            do { try data.write(to: place) } catch { preconditionFailure("no temporary file: \(error)") }
            (session.delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: task, didFinishDownloadingTo: place)
            // It belongs to the system, which deletes it if the app has not moved it.
            _ = try? FileManager.default.removeItem(at: place)
        case (.complete(let error), _):
            (session.delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didCompleteWithError: error)
        case (.response(let response), let task as URLSessionDataTask):
            guard let delegate = session.delegate as? any URLSessionDataDelegate else { return permit(task, .allow) }
            delegate.urlSession(session, dataTask: task, didReceive: response) { self.permit(task, $0) }
        case (.redirect(let response, let proposal), _):
            (session.delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: proposal
            ) { request in self.change(task) { $0.follow(request) } }
        case (.challenge(let isOfProxy), _):
            (session.delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task,
                didReceive: URLAuthenticationChallenge(NSURLAuthenticationMethodHTTPBasic, isOfProxy: isOfProxy)
            ) { disposition, _ in self.answer(task, disposition) }
        case (.trust, _): askAboutTrust(task, session)
        case (.resumed, _), (.wrote, _), (.data, _), (.file, _), (.response, _): break
        }
    }
}

extension SimulatedDevice.State {
    /// A process that has ended creates no tasks, and neither does an invalid session, which raises an exception.
    fileprivate mutating func add(_ task: CarriedTask, to session: URLSession, _ key: String) {
        if !session.isValid { violations.append("a task was created in an invalid session") }
        guard session.process == process, session.isValid else { return }
        tasks[key, default: [:]][task.number] = task
    }
}
