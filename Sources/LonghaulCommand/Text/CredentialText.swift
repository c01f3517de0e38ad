import LonghaulCore

/// A session's credentials for a person to read.
enum CredentialText {
    static func lines(_ report: CredentialReport) -> [String] {
        let helper = report.helper.isEmpty ? "none" : report.helper.joined(separator: " ")
        var rows = [("Helper", helper), ("Apps", HumanText.count(report.providers, "app") + " to ask")]
        rows.append(("Waiting", HumanText.count(report.waiting, "transfer")))
        for entry in report.entries { rows.append((entry.name.description, entry.origin + ": " + phrase(entry))) }
        return rows.map { DisplayText.fit(DisplayText.clean($0.0), 14) + DisplayText.clean($0.1) }
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
        case .held: "there"
        case .asking: "being asked for"
        case .refused: "refused by the server; asked for when it is needed"
        case .lacking: entry.failure.map(StateText.sentence) ?? "not there"
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
