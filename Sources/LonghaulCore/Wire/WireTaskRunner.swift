extension TaskRunner: WireRecord {
    package static var blank: Self { Self(identifiers: []) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.texts(&identifiers, 1)
        try wire.messages(&claims, 2)
    }
}

extension TaskClaim: WireRecord {
    package static var blank: Self { Self(identifier: "", number: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&identifier, 1)
        try wire.signed(&number, 2)
    }
}

extension TaskAssignments: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&runs, 1)
        try wire.flag(&hasMore, 2)
    }
}

extension TaskReturn: WireRecord {
    package static var blank: Self {
        Self(claim: .blank, outcome: BackgroundTaskResult.Outcome.succeeded, message: "")
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&claim, 1)
        try wire.choice(&outcome, 2)
        try wire.text(&message, 3)
    }
}

/// The payload of `SessionCommand.tasks`.
struct TaskQuery: WireRecord {
    var after: String?

    static var blank: Self { Self() }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&after, 1)
    }
}

extension TaskPage: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.messages(&tasks, 1)
        try wire.flag(&hasMore, 2)
        try wire.message(&throttle, 3)
        try wire.message(&settings, 4)
    }
}

extension BackgroundTaskStatus: WireRecord {
    package static var blank: Self { Self(identifier: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&identifier, 1)
        try wire.message(&request, 2)
        try wire.time(&nextDate, 3)
        try wire.choice(&hold, 4)
        try wire.message(&run, 5)
        try wire.message(&last, 6)
        try wire.signed(&runs, 7)
    }
}
