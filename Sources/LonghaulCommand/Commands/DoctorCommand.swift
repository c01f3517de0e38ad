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
        reference: (
            [
                "With ID, the command explains the state of a transfer, since when, the reason, what ends it, what you can "
                    + "do, and its last three failures. The output contains no secrets. Without ID, it exits with 12 if a "
                    + "check fails."
            ], [.init("longhaul doctor --json", "Print the result of each check as JSON")]
        ),
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
                    world.console.show(finding.line, indent: Finding.indent)
                }
            }
            return findings.contains { $0.verdict == .fail } ? .service : .success
        })
}

/// The result of one check, with a remedy.
struct Finding: Equatable, Sendable {
    enum Verdict: String, Equatable, Sendable {
        case ok
        /// Information: nothing is wrong.
        case note
        case warn
        case fail
    }

    var check: String
    var verdict: Verdict
    var message: String
    var remedy: String?
    /// The stable word for the finding, if it has one.
    var code: String?

    init(_ check: String, _ verdict: Verdict, _ message: String, remedy: String? = nil, code: String? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.remedy = remedy
        self.code = code
    }

    /// The columns before the message.
    static let indent = 24

    var line: String {
        let text = DisplayText.fit(verdict.rawValue, 6) + DisplayText.fit(check, 18) + DisplayText.clean(message)
        return text.asSentence + (remedy.map { " " + DisplayText.clean($0) } ?? "")
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

/// Checks the service of this user, its environment, and the reasons why transfers wait.
struct Doctor: Sendable {
    let world: World
    let session: SessionID

    func examine() async -> [Finding] {
        var findings = SystemExamination(world: world).findings()
        do throws(TransferFailure) {
            let service = try await world.connect(false)
            defer { service.close() }
            let status = try await service.status()
            findings += Self.examine(status)
            var report = try await service.reconcile(session)
            await removePartials(of: status.sessions.map(\.id).filter { $0 != session }, from: &report, service)
            findings += Self.examine(report, of: session)
            // The comparison reads the whole store, and may find damage.
            let troubles = Self.troubles(of: try await service.status())
            findings += troubles.filter { !findings.contains($0) }
            findings += Self.examine(try await service.credentials(of: session), of: session)
            findings += try await QueueExamination(world: world, session: session).findings(service)
        } catch  where error == .serviceAbsent {
            findings += LibcurlExamination(world).findings(environment: world.environment)
            findings += SystemExamination(world: world).damage()
            findings.append(absence())
        } catch {
            let remedy =
                error.code == .protocolMismatch
                ? tr("Run longhaul service stop. The next command starts the new version.") : nil
            findings.append(Finding("service", .fail, StateText.sentence(error).asSentence, remedy: remedy))
        }
        return findings
    }

    /// Removes the findings about partial files of other sessions, which may download to the same directory.
    private func removePartials(
        of sessions: [SessionID], from report: inout ReconcileReport, _ service: any TransferService
    ) async {
        for session in sessions {
            let foreign = report.findings.filter { $0.kind == .partialForeign }.compactMap(\.transfer)
            if foreign.isEmpty { return }
            // A session that cannot be read has its own finding, and its partial files remain in the report.
            guard let page = try? await service.list(ListQuery(selection: .ids(foreign)), in: session) else { continue }
            let known = Set(page.transfers.map(\.id))
            report.findings.removeAll { $0.kind == .partialForeign && $0.transfer.map(known.contains) == true }
        }
    }

    /// A service that is not running is not an error if it can be started.
    private func absence() -> Finding {
        do throws(TransferFailure) {
            _ = try world.locateService()
            return Finding(
                "service", .note, tr("longhauld is not running."), remedy: tr("The first transfer starts it."))
        } catch {
            return Finding("service", .fail, StateText.sentence(error).asSentence)
        }
    }

    /// Differences are not failures: a user may have moved a file.
    static func examine(_ report: ReconcileReport, of session: SessionID) -> [Finding] {
        guard !report.findings.isEmpty else {
            return [
                Finding(
                    "files", .ok,
                    report.checked == 1
                        ? tr("1 transfer agrees with its file.")
                        : tr("\(report.checked) transfers agree with their files."))
            ]
        }
        let moved = report.findings.count { $0.kind == .fileMissing }
        var findings = report.findings.filter { $0.kind != .fileMissing }.map { finding in
            Finding(
                "files", verdict(finding), ShortID.shortening(finding.message.translated),
                code: finding.code)
        }
        if moved > 0 {
            // Moved downloads are last in a report, so that the omitted findings are moved downloads too.
            findings.append(absence(of: moved + report.omitted, session))
        } else if report.omitted > 0 {
            findings.append(Finding("files", .warn, tr("More findings of this kind: \(report.omitted).")))
        }
        return findings
    }

    /// A finished file belongs to the user, who may replace it.
    private static func verdict(_ finding: ReconcileFinding) -> Finding.Verdict {
        if finding.kind == .fileChanged { return .note }
        return finding.repair == .none ? .warn : .ok
    }

    private static func absence(of count: Int, _ session: SessionID) -> Finding {
        let remove = session.hint("remove")
        return Finding(
            "files", .note,
            count == 1
                ? tr("1 finished download is no longer where it was saved.")
                : tr("\(count) finished downloads are no longer where they were saved."),
            remedy: count == 1 ? tr("To forget it, run \(remove) ID.") : tr("To forget them, run \(remove) ID."),
            code: ReconcileFinding.Kind.fileMissing.rawValue)
    }

    /// Empty if no transfer has ever needed a credential.
    static func examine(_ report: CredentialReport, of session: SessionID) -> [Finding] {
        if report.helper.isEmpty, report.waiting == 0, report.entries.isEmpty { return [] }
        guard report.waiting > 0 else {
            return [
                Finding(
                    "credentials", .ok,
                    report.helper.isEmpty
                        ? tr("No transfer waits for credentials. No helper is set.")
                        : tr("No transfer waits for credentials. Helper: \(report.helper.joined(separator: " ")).")
                )
            ]
        }
        let reasons = report.entries.filter { $0.state == .lacking }.compactMap(\.failure)
            .map { StateText.sentence($0).asSentence }
        let count =
            report.waiting == 1
            ? tr("1 transfer waits for credentials.") : tr("\(report.waiting) transfers wait for credentials.")
        return [
            Finding(
                "credentials", .warn, ([count] + reasons).joined(separator: " "),
                remedy: tr("Then run \(session.hint("retry")) --all."))
        ]
    }

    static func examine(_ status: ServiceStatus) -> [Finding] {
        var findings = [
            Finding("service", .ok, tr("longhauld \(status.version) is running (process \(status.processID)).")),
            LibcurlExamination.paths(status.directPaths, past: status.libcurl),
            LibcurlExamination.http3(status.hasHTTP3, in: status.libcurl),
        ]
        findings += LibcurlExamination.http2(in: status.libcurl)
        if status.version != Release.version {
            findings.append(
                Finding(
                    "version", .warn,
                    tr("The command has version \(Release.version), and the service has version \(status.version)."),
                    remedy: tr("Run longhaul service stop. The next command starts the new version.")))
        }
        return findings + troubles(of: status)
    }

    private static func troubles(of status: ServiceStatus) -> [Finding] {
        (status.trouble.map { [trouble($0, of: nil)] } ?? [])
            + status.sessions.compactMap { session in session.trouble.map { trouble($0, of: session.id) } }
    }

    /// - Parameter session: `nil` for the settings for all sessions.
    static func trouble(_ trouble: TransferFailure, of session: SessionID?) -> Finding {
        let sentence = StateText.sentence(trouble)
        let remedy =
            trouble.code == .storeDamaged
            ? tr("To acknowledge it, run longhaul session \(session ?? .commandLine) --acknowledge-damage.") : nil
        guard let session else { return Finding("settings", .fail, sentence.asSentence, remedy: remedy) }
        return Finding("session", .fail, "\(session): \(sentence)".asSentence, remedy: remedy)
    }
}
