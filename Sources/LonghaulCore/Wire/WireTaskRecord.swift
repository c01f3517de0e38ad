extension BackgroundTaskRecord: WireRecord {
    package static var blank: Self { Self(identifier: "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&identifier, 1)
        try wire.message(&pending, 2)
        try wire.message(&owed, 3)
        try wire.message(&run, 4)
        try wire.message(&last, 5)
        try wire.signed(&runs, 6)
        var day = doneDay?.number
        try wire.integer(&day, 7)
        doneDay = day.map(LocalDay.init)
    }
}

extension BackgroundTaskRecord.Pending: WireRecord {
    package static var blank: Self {
        Self(request: .blank, date: WallTime(microseconds: 0), isForced: false)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&request, 1)
        try wire.time(&date, 2)
        try wire.flag(&isForced, 3)
    }
}

extension BackgroundTaskRecord.OutstandingRun: WireRecord {
    package static var blank: Self {
        Self(request: .blank, since: WallTime(microseconds: 0), attempts: 0)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.required(&request, 1)
        try wire.time(&since, 2)
        try wire.count(&attempts, 3)
        try wire.flag(&isForced, 4)
    }
}

extension BackgroundTaskRun: WireRecord {
    package static var blank: Self {
        Self(
            number: 0, request: .blank, startedAt: WallTime(microseconds: 0), budget: .zero, grace: .zero, attempt: 0,
            bootID: "")
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&number, 1)
        try wire.required(&request, 2)
        try wire.time(&startedAt, 3)
        try wire.span(&budget, 4)
        try wire.span(&grace, 5)
        try wire.count(&attempt, 6)
        try wire.text(&bootID, 7)
    }
}

extension BackgroundTaskResult: WireRecord {
    package static var blank: Self {
        let start = WallTime(microseconds: 0)
        return Self(number: 0, startedAt: start, endedAt: start, outcome: .succeeded)
    }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&number, 1)
        try wire.time(&startedAt, 2)
        try wire.time(&endedAt, 3)
        try wire.choice(&outcome, 4)
        try wire.text(&message, 5)
    }
}
