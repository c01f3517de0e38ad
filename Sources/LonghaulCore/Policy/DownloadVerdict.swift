/// What `DownloadJudge` says to a response head, before any byte of the body is used.
package enum DownloadVerdict: Equatable, Sendable {
    /// Write the body at this offset of the file; `bodyLength` bytes are to come, when known.
    case write(at: Int64, bodyLength: Int64?)
    /// A ranged request got a whole body: hold it until the new validators are on disk.
    case holdForRestart(bodyLength: Int64?)
    /// The first `overlap` bytes of the body repeat the file's end and must agree; then write at `length`.
    case compareThenWrite(from: Int64, overlap: Int64, bodyLength: Int64?)
    /// Do not use the body.
    case refuse(Refusal)

    package enum Refusal: Equatable, Sendable {
        /// 416 which says that the file ends exactly where the partial file does: nothing is missing.
        case alreadyComplete
        /// 412, or a 416, or a range whose validators or total differ: another version; begin again from byte 0.
        case changed
        /// A 206 that does not say, or says wrongly, which bytes it holds; begin again without a range, a few times.
        case rangeUnusable(String)
        /// 416 without a total: ask the length by a request without a range, beginning again.
        case lengthUnknown
        /// Nothing proves that what another program left is the beginning of this file.
        case unproved(ContinuationDoubt)
        /// A status that is not about ranges: `RetryPolicy` decides.
        case status
    }
}
