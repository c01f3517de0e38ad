import LonghaulCore

/// The credentials of a session, for the user.
enum CredentialText {
    static func lines(_ report: CredentialReport) -> [String] {
        let helper = report.helper.isEmpty ? tr("none") : report.helper.joined(separator: " ")
        let waiting =
            report.waiting == 1 ? tr("1 transfer") : tr("\(report.waiting) transfers")
        let apps = report.providers == 1 ? tr("1 app") : tr("\(report.providers) apps")
        var rows = [(tr("Helper"), helper), (tr("Apps"), apps), (tr("Waiting"), waiting)]
        rows += report.entries.map { ($0.name.description, $0.origin + ": " + phrase($0)) }
        rows = rows.map { (DisplayText.clean($0.0), DisplayText.clean($0.1)) }
        let width = max(14, 2 + (rows.map { DisplayText.width($0.0) }.max() ?? 0))
        return rows.map { DisplayText.fit($0.0, width) + $0.1 }
    }

    static func word(_ state: CredentialReport.Entry.State) -> String {
        switch state {
        case .held: "held"
        case .asking: "asking"
        case .refused: "refused"
        case .lacking: "lacking"
        }
    }

    private static func phrase(_ entry: CredentialReport.Entry) -> String {
        switch entry.state {
        case .held: tr("available")
        case .asking: tr("being requested")
        case .refused: tr("rejected by the server; requested again when it is needed")
        case .lacking: entry.failure.map(StateText.sentence) ?? tr("missing")
        }
    }
}

extension JSONWriter {
    mutating func members(of report: CredentialReport) {
        array("helper") { json in
            for word in report.helper { json.string(word) }
        }
        member("providers", report.providers)
        member("waiting", report.waiting)
        array("credentials") { json in
            for entry in report.entries {
                json.object { json in
                    json.member("name", entry.name.description)
                    json.member("origin", entry.origin)
                    json.member("state", CredentialText.word(entry.state))
                    json.failure("failure", entry.failure)
                }
            }
        }
    }
}
