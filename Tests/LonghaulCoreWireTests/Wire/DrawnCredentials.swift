import LonghaulCore

extension Chance {
    mutating func credentialName() -> CredentialName {
        CredentialName(one(of: ["a", "photos", "ada@example.org", "x.y-z_1+2"]))!
    }
}

extension Credential: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        switch chance.below(4) {
        case 0: .basic(userName: chance.text(), password: chance.text())
        case 1: .bearer(chance.text())
        case 2: .header(.draw(&chance))
        default: .url(chance.text(), headers: chance.optional { $0.list { .draw(&$0) } })
        }
    }
}

extension CredentialRequest: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        CredentialRequest(
            name: chance.credentialName(), kind: chance.choice(), url: chance.text(),
            userName: chance.optional { $0.text() }, transfer: chance.optional { .draw(&$0) },
            transferKey: chance.optional { $0.text() }, isRenewal: chance.flag())
    }
}

extension CredentialQuestion: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        CredentialQuestion(number: chance.bits(), request: .draw(&chance))
    }
}

extension CredentialReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        CredentialReport(
            helper: chance.list { $0.text() }, providers: chance.integer(), waiting: chance.integer(),
            entries: chance.list { chance in
                Entry(
                    name: chance.credentialName(), origin: chance.text(), state: chance.choice(),
                    failure: chance.optional { .draw(&$0) })
            })
    }
}
