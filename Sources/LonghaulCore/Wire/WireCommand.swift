extension SessionCommand: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .submit(let specs): writer.message(WireList(specs), at: 1)
        case .control(let verb, let selection):
            writer.message(ControlRequest(verb: verb, selection: selection), at: 2)
        case .list(let query): writer.message(query, at: 3)
        case .show(let id): writer.message(id, at: 4)
        case .history(let id): writer.message(id, at: 5)
        case .setLimits(let limits): writer.message(limits, at: 6)
        case .limits: writer.empty(at: 7)
        case .reconcile: writer.empty(at: 8)
        case .info: writer.empty(at: 9)
        case .setOwnerLossPolicy(let policy): writer.message(OwnerLossPolicyRequest(policy: policy), at: 10)
        case .acknowledgeOwnerLoss: writer.empty(at: 11)
        case .acknowledgeDamage: writer.empty(at: 16)
        case .provideCredential(let name, let url, let credential):
            writer.message(CredentialGift(name: name, url: url, credential: credential), at: 20)
        case .setCredentialHelper(let words): writer.message(HelperCommand(words: words), at: 21)
        case .credentials: writer.empty(at: 22)
        case .replaceURL(let id, let url, let headers):
            writer.message(URLReplacement(id: id, url: url, headers: headers), at: 23)
        case .events(let after): writer.signed(Optional(after), at: 12)
        case .acknowledgeEvents(let through): writer.signed(Optional(through), at: 13)
        case .setWake(let registration): writer.message(WakeRequestBody(registration: registration), at: 14)
        case .wakeStatus: writer.empty(at: 15)
        case .adjust(let adjustment, let selection):
            writer.message(AdjustRequest(adjustment: adjustment, selection: selection), at: 40)
        case .setRules(let rules): writer.message(rules, at: 41)
        case .rules: writer.empty(at: 42)
        case .notifications(let request): writer.message(request, at: 60)
        case .submitTask(let request): writer.message(request, at: 50)
        case .cancelTask(let identifier): writer.text(Optional(identifier), at: 51)
        case .cancelAllTasks: writer.empty(at: 52)
        case .tasks(let after): writer.message(TaskQuery(after: after), at: 53)
        case .forceTask(let identifier): writer.text(Optional(identifier), at: 54)
        case .taskReturned(let report): writer.message(report, at: 55)
        case .setTaskSettings(let settings): writer.message(settings, at: 56)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var command: SessionCommand?
        while let field = try reader.nextField() {
            switch field {
            case 1: command = .submit((try reader.message() as WireList<TransferSpec>).items)
            case 2:
                let request: ControlRequest = try reader.message()
                command = .control(request.verb, request.selection)
            case 3: command = .list(try reader.message())
            case 4: command = .show(try reader.message())
            case 5: command = .history(try reader.message())
            case 6: command = .setLimits(try reader.message())
            case 7: command = try reader.empty(as: .limits)
            case 8: command = try reader.empty(as: .reconcile)
            case 9: command = try reader.empty(as: .info)
            case 10: command = .setOwnerLossPolicy((try reader.message() as OwnerLossPolicyRequest).policy)
            case 11: command = try reader.empty(as: .acknowledgeOwnerLoss)
            case 16: command = try reader.empty(as: .acknowledgeDamage)
            case 20:
                let gift: CredentialGift = try reader.message()
                command = .provideCredential(gift.name, url: gift.url, gift.credential)
            case 21: command = .setCredentialHelper((try reader.message() as HelperCommand).words)
            case 22: command = try reader.empty(as: .credentials)
            case 23:
                let request: URLReplacement = try reader.message()
                guard let id = request.id else { throw .missingValue }
                command = .replaceURL(id, url: request.url, headers: request.headers)
            case 12: command = .events(after: try reader.signed())
            case 13: command = .acknowledgeEvents(through: try reader.signed())
            case 14: command = .setWake((try reader.message() as WakeRequestBody).registration)
            case 15: command = try reader.empty(as: .wakeStatus)
            case 40:
                let request: AdjustRequest = try reader.message()
                command = .adjust(request.adjustment, request.selection)
            case 41: command = .setRules(try reader.message())
            case 42: command = try reader.empty(as: .rules)
            case 60: command = .notifications(try reader.message())
            case 50: command = .submitTask(try reader.message())
            case 51: command = .cancelTask(try reader.text())
            case 52: command = try reader.empty(as: .cancelAllTasks)
            case 53: command = .tasks(after: (try reader.message() as TaskQuery).after)
            case 54: command = .forceTask(try reader.text())
            case 55: command = .taskReturned(try reader.message())
            case 56: command = .setTaskSettings(try reader.message())
            default: try reader.skip()
            }
        }
        guard let command else { throw .unknownValue }
        self = command
    }
}

/// The payload of `SessionCommand.control`.
struct ControlRequest: WireMessage {
    var verb: ControlVerb
    var selection: TransferSelection

    init(verb: ControlVerb, selection: TransferSelection) {
        self.verb = verb
        self.selection = selection
    }

    func encode(into writer: inout WireWriter) {
        writer.choice(verb, at: 1)
        writer.message(selection, at: 2)
    }

    init(from reader: inout WireReader) throws(WireError) {
        var verb = ControlVerb.pause
        var selection: TransferSelection?
        while let field = try reader.nextField() {
            switch field {
            case 1: verb = try reader.choice()
            case 2: selection = try reader.message()
            default: try reader.skip()
            }
        }
        guard let selection else { throw .missingValue }
        self.init(verb: verb, selection: selection)
    }
}

extension TransferSelection: WireMessage {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .ids(let ids): writer.message(WireList(ids), at: 1)
        case .group(let group): writer.text(Optional(group), at: 2)
        case .all: writer.empty(at: 3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var selection: TransferSelection?
        while let field = try reader.nextField() {
            switch field {
            case 1: selection = .ids((try reader.message() as WireList<TransferID>).items)
            case 2: selection = .group(try reader.text())
            case 3: selection = try reader.empty(as: .all)
            default: try reader.skip()
            }
        }
        guard let selection else { throw .unknownValue }
        self = selection
    }
}

extension ListQuery: WireMessage {
    package func encode(into writer: inout WireWriter) {
        writer.message(selection, at: 1)
        writer.flag(ended, at: 2)
        writer.signed(afterSequence, at: 3)
        writer.integer(limit, at: 4)
        writer.text(key, at: 5)
        writer.flag(wantsRate, at: 6)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var selection: TransferSelection?
        var ended: Bool?
        var afterSequence: Int64 = 0
        var limit = 0
        var key: String?
        var wantsRate = false
        while let field = try reader.nextField() {
            switch field {
            case 1: selection = try reader.message()
            case 2: ended = try reader.flag()
            case 3: afterSequence = try reader.signed()
            case 4: limit = try reader.integer()
            case 5: key = try reader.text()
            case 6: wantsRate = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let selection else { throw .missingValue }
        self.init(
            selection: selection, ended: ended, key: key, afterSequence: afterSequence, limit: limit,
            wantsRate: wantsRate)
    }
}
