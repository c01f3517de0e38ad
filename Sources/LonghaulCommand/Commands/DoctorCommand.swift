import LonghaulClient
import LonghaulCore
import LonghaulIPC

extension Command {
    static let doctor: Command = Command(
        "doctor", "[ID…] [options]", "Diagnose the service, or why transfers wait or failed",
        options: [.json, .session], transfers: StateText.words,
        examples: [
            .init("longhaul doctor", "Check the service and this machine"),
            .init("longhaul doctor film.mp4", "Explain why a transfer waits or failed, and what to do"),
        ],
        run: { arguments, world throws(TransferFailure) in
            let session = try LocalCheck.session(arguments)
            guard arguments.operands.isEmpty else {
                try await TransferDoctor(world: world, session: session).examine(
                    arguments.operands, asJSON: arguments.has(.json))
                return .success
            }
            let findings = await Doctor(world: world, session: session).examine()
            for finding in findings {
                if arguments.has(.json) {
                    world.console.writeOutput(finding.json)
                } else {
                    world.console.print(finding.line)
                }
            }
            return findings.contains { $0.verdict == .fail } ? .service : .success
        })
}

/// What one check found, and what to do about it.
struct Finding: Equatable, Sendable {
    enum Verdict: String, Equatable, Sendable {
        case ok
        /// Worth knowing, and nothing is wrong.
        case note
        case warn
        case fail
    }

    var check: String
    var verdict: Verdict
    var message: String
    var remedy: String?
    /// The stable word for what was found, where there is one.
    var code: String?

    init(_ check: String, _ verdict: Verdict, _ message: String, remedy: String? = nil, code: String? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.remedy = remedy
        self.code = code
    }

    var line: String {
        let text = DisplayText.fit(verdict.rawValue, 6) + DisplayText.fit(check, 18) + DisplayText.clean(message)
        return text + (remedy.map { "; " + DisplayText.clean($0) } ?? "")
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("check", check)
            json.member("result", verdict.rawValue)
            json.member("message", message)
            json.member("remedy", remedy)
            json.member("code", code)
        }
        json.endLine()
        return json.bytes
    }
}

/// Examines this user's service and the places it needs.
struct Doctor: Sendable {
    let world: World
    let session: SessionID

    func examine() async -> [Finding] {
        var findings = SystemExamination(world: world).findings()
        do throws(TransferFailure) {
            let service = try await world.connect(false)
            defer { service.close() }
            findings += Self.examine(try await service.status())
            findings += Self.examine(try await service.reconcile(session), of: session)
            // The comparison reads the whole store, and may have met damage.
            let news = Self.troubles(of: try await service.status())
            findings += news.filter { !findings.contains($0) }
            findings += Self.examine(try await service.credentials(of: session), of: session)
        } catch  where error == .serviceAbsent {
            findings += LibcurlExamination(world).findings(environment: world.environment)
            findings.append(absence())
        } catch {
            let remedy = error.code == .protocolMismatch ? "longhaul service stop, then start" : nil
            findings.append(Finding("service", .fail, StateText.sentence(error), remedy: remedy))
        }
        return findings
    }

    /// A service that does not run is no fault, as long as it can be started.
    private func absence() -> Finding {
        do throws(TransferFailure) {
            _ = try world.locateService()
            return Finding("service", .note, "not running", remedy: "the first transfer starts it")
        } catch {
            return Finding("service", .fail, StateText.sentence(error))
        }
    }

    /// What was found is told, not failed: a moved file is no fault of the service.
    static func examine(_ report: ReconcileReport, of session: SessionID) -> [Finding] {
        guard !report.findings.isEmpty else {
            return [Finding("files", .ok, agreement(of: report.checked))]
        }
        let tidied = report.findings.count { $0.kind == .fileMissing }
        var findings = report.findings.filter { $0.kind != .fileMissing }.map { finding in
            Finding(
                "files", finding.repair == .none ? .warn : .ok, finding.message, code: finding.code)
        }
        if tidied > 0 {
            // They come last, so what was left out is of their kind.
            findings.append(absence(of: tidied + report.omitted, session))
        } else if report.omitted > 0 {
            findings.append(Finding("files", .warn, "and \(report.omitted) more like these"))
        }
        return findings
    }

    private static func agreement(of count: Int) -> String {
        count == 1 ? "1 transfer agrees with its file" : "\(count) transfers agree with their files"
    }

    /// People move what they have downloaded.
    private static func absence(of count: Int, _ session: SessionID) -> Finding {
        let places = count == 1 ? "is no longer where it was put" : "are no longer where they were put"
        return Finding(
            "files", .note, HumanText.count(count, "finished download") + " " + places,
            remedy: "\(session.hint("remove")) forgets \(count == 1 ? "it" : "them")",
            code: ReconcileFinding.Kind.fileMissing.rawValue)
    }

    /// Silent where no credential was ever needed.
    static func examine(_ report: CredentialReport, of session: SessionID) -> [Finding] {
        if report.helper.isEmpty, report.waiting == 0, report.entries.isEmpty { return [] }
        let lacking = report.entries.filter { $0.state == .lacking }
        guard report.waiting > 0 else {
            let helper = report.helper.isEmpty ? "no helper" : "helper: " + report.helper.joined(separator: " ")
            return [Finding("credentials", .ok, "no transfer waits for one; \(helper)")]
        }
        let count = HumanText.count(report.waiting, "transfer") + (report.waiting == 1 ? " waits" : " wait")
        let reasons = lacking.compactMap(\.failure).map(StateText.sentence).joined(separator: "; ")
        return [
            Finding(
                "credentials", .warn, count + " for credentials" + (reasons.isEmpty ? "" : ": " + reasons),
                remedy: "then: \(session.hint("retry")) --all")
        ]
    }

    static func examine(_ status: ServiceStatus) -> [Finding] {
        var findings = [
            Finding("service", .ok, "longhauld \(status.version) answers, process \(status.processID)"),
            LibcurlExamination.paths(status.directPaths, past: status.libcurl),
            LibcurlExamination.http3(status.hasHTTP3, in: status.libcurl),
        ]
        if status.version != Release.version {
            findings.append(
                Finding(
                    "version", .warn, "the command is \(Release.version), the service \(status.version)",
                    remedy: "longhaul service stop lets the new one start"))
        }
        return findings + troubles(of: status)
    }

    private static func troubles(of status: ServiceStatus) -> [Finding] {
        status.sessions.compactMap { session in
            guard let trouble = session.trouble else { return nil }
            let note = "longhaul session \(session.id) --acknowledge-damage takes note of it; until then it is told"
            let remedy = trouble.code == .storeDamaged ? note : nil
            return Finding("session", .fail, "\(session.id): " + StateText.sentence(trouble), remedy: remedy)
        }
    }
}
