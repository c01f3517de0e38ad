/// One source of a download, and its state.
package struct MirrorReport: Equatable, Sendable {
    /// The use of a source.
    package enum Standing: Equatable, Sendable {
        /// The download uses it when its turn comes.
        case good
        /// It has a different version of the file, which could only replace the partial file.
        case otherVersion
        /// It refused the request or sent wrong bytes.
        case refused
    }

    /// Its URL, without user, password and query.
    package var url: String
    /// The bytes of the partial file that came from it.
    package var bytes: Int64
    /// The recent rate of each of its connections in bytes per second, if measured.
    package var rate: Int64?
    /// Its use.
    package var standing: Standing
    /// Whether the download tries it first.
    package var isAsked: Bool
    /// Its last failure, if it has sent nothing since.
    package var failure: TransferFailure?

    /// Creates the report of a source.
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
    /// The public facts about its sources.
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
