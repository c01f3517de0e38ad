extension ResponseHead {
    /// Returns the response with the time of its receipt as `Date` if its server has no clock (RFC 9110, section
    /// 6.6.1).
    package func dated(by now: @autoclosure () -> WallTime) -> ResponseHead {
        guard headers.all("Date").isEmpty else { return self }
        var head = self
        head.headers.append(HeaderField("Date", HTTPDate.format(now())))
        return head
    }
}

/// Reads the validators of a file's version from a response.
package enum ValidatorReading {
    /// Returns the validators of a response. `total` is that of the response unless it is given.
    package static func validators(from head: ResponseHead, total: Int64? = nil) -> Validators {
        let entityTag = head.headers.single("ETag")
        let lastModified = head.headers.single("Last-Modified")
        let tag = entityTag.flatMap(EntityTag.init)
        return Validators(
            entityTag: entityTag, lastModified: lastModified,
            isSoft: isSoft(hasStrongTag: tag.map { !$0.isWeak } ?? false, age: age(in: head.headers)),
            total: total ?? self.total(of: head))
    }

    /// Returns the total length of the file that a response or a part announces. With a content coding, it counts coded
    /// bytes, which are stored as they are.
    package static func total(of head: ResponseHead) -> Int64? {
        switch head.contentRange {
        case .part(_, _, let total), .empty(_, let total): total
        case .unsatisfied(let total): total
        case nil: head.status == 206 ? nil : head.announcedBodyLength
        }
    }

    /// Returns how old a file must be, by the server's clock, for its validators to distinguish versions. Many servers
    /// build a strong tag from whole seconds and the length, so two versions written within one second share it. A date
    /// cannot distinguish versions for longer (RFC 9110, section 8.8.2.2).
    private static func settledAge(hasStrongTag: Bool) -> Duration { .seconds(hasStrongTag ? 2 : 60) }

    private static func isSoft(hasStrongTag: Bool, age: Duration?) -> Bool {
        guard let age else { return !hasStrongTag }
        return age < settledAge(hasStrongTag: hasStrongTag)
    }

    /// Returns how long after the response its validators distinguish versions; `nil` if they never do.
    static func timeToSettle(_ head: ResponseHead) -> Duration? {
        let hasStrongTag = head.headers.single("ETag").flatMap(EntityTag.init).map { !$0.isWeak } ?? false
        guard let age = age(in: head.headers) else { return hasStrongTag ? .zero : nil }
        return min(max(settledAge(hasStrongTag: hasStrongTag) - age, .zero), .seconds(86_400))
    }

    /// Returns how old the file was, by the server's clock, at the time of the response.
    private static func age(in headers: [HeaderField]) -> Duration? {
        guard let modified = headers.single("Last-Modified").flatMap(HTTPDate.parse),
            let replied = headers.single("Date").flatMap(HTTPDate.parse)
        else { return nil }
        return replied - modified
    }
}
