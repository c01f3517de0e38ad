/// The decision of `DownloadRule` about a response, before any byte of the body is used.
package enum DownloadVerdict: Equatable, Sendable {
    /// Write the body at this offset of the file. `bodyLength` is the number of bytes to come, if known.
    case write(at: Int64, bodyLength: Int64?)
    /// A range request got a whole body: hold it until the new validators are on disk.
    case holdForRestart(bodyLength: Int64?)
    /// The first `overlap` bytes of the body repeat the file's end and must match; then write at `length`.
    case compareThenWrite(from: Int64, overlap: Int64, bodyLength: Int64?)
    /// Do not use the body.
    case refuse(Refusal)

    package enum Refusal: Equatable, Sendable {
        /// A 416 that confirms the partial file's length as the total: nothing is missing.
        case alreadyComplete
        /// A 412, or a 416 or a range with different validators or total: another version. Restart from byte 0.
        case changed
        /// A 206 with a missing or wrong Content-Range. Restart without a range, a limited number of times.
        case rangeUnusable(String)
        /// A 416 without a total. Restart without a range to learn the length.
        case lengthUnknown
        /// Nothing proves that another program's partial file is the beginning of this file.
        case unproved(ContinuationDoubt)
        /// A status that is not about ranges: `RetryPolicy` decides.
        case status
    }
}
