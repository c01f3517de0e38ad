/// One of the places that a download can come from, and what came of it.
public struct MirrorReport: Equatable, Sendable {
    /// What a place is good for.
    public enum Standing: Int, Equatable, Sendable {
        /// It is asked when its turn comes.
        case good = 0
        /// It has another version than the one that there is the beginning of, and could only replace all of it.
        case otherVersion = 1
        /// It said no, or what it gave was wrong.
        case refused = 2
    }

    /// Its URL, without user, password and query.
    public var url: String
    /// How many bytes of what there is came from it.
    public var bytes: Int64
    /// How fast each connection with it was of late, in bytes a second, if that was measured.
    public var rate: Int64?
    /// What it is good for.
    public var standing: Standing
    /// Whether it is the one that is asked first.
    public var isAsked: Bool
    /// Why it failed last, if it has since given nothing.
    public var failure: TransferFailure?

    /// Describes a place.
    package init(
        url: String, bytes: Int64 = 0, rate: Int64? = nil, standing: Standing = .good, isAsked: Bool = false,
        failure: TransferFailure? = nil
    ) {
        self.url = url
        self.bytes = bytes
        self.rate = rate
        self.standing = standing
        self.isAsked = isAsked
        self.failure = failure
    }
}

extension MirrorTable {
    /// What may be shown of it.
    var reports: [MirrorReport] {
        places.indices.map { index in
            let place = places[index]
            return MirrorReport(
                url: (try? TransferURL(parsing: place.url))?.redacted ?? "", bytes: max(place.bytes, 0),
                rate: place.rate, standing: place.standing, isAsked: index == current,
                failure: place.failure)
        }
    }
}
