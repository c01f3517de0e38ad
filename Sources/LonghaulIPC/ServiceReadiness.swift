/// The byte that a service writes to the descriptor of `--ready-fd`. If it is closed without a byte, the service could not start.
package enum ServiceReadiness {
    /// It listens.
    package static let listening = UInt8(ascii: "1")
    /// Another one runs, or is about to.
    package static let otherRuns = UInt8(ascii: "0")
}
