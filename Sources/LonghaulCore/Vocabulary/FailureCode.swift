/// The stable failure codes. Switch over them to decide what the app does; show a person the message instead.
///
/// Codes are added, never renamed. `docs/exit-codes.md` lists them with the exit status of the command line.
public enum FailureCode: String, Equatable, Sendable, CaseIterable {
    // What was asked cannot be done as asked.

    /// A value cannot be used as it is. The sentence names the value and what it should be.
    case invalidArgument
    /// The text is not a URL. Give an absolute `http` or `https` URL.
    case invalidURL
    /// The URL is neither `http` nor `https`. Longhaul moves nothing else.
    case unsupportedScheme
    /// The session has no transfer with this identifier, or no longer has it. Look for it in the list.
    case unknownTransfer
    /// No session has this name. Check the name; a session exists from its first transfer on.
    case unknownSession
    /// Another transfer of the session has this key. Use another key, or remove that transfer first.
    case keyTaken
    /// The transfer, the session or the task cannot do this in its present state. The sentence says why.
    case invalidState

    // Files on this machine.

    /// The file to upload does not exist. Put it back and retry, or upload another file.
    case sourceMissing
    /// The file to upload cannot be read. Give the app read access, then retry.
    case sourceUnreadable
    /// The file to upload was changed after it was submitted. Submit it again as a new transfer.
    case sourceChanged
    /// A file with the chosen name exists. Choose another name, or allow it to be numbered or replaced.
    case destinationExists
    /// The directory for a download is missing or cannot be written. Create it or allow writing, then retry.
    case destinationUnwritable
    /// The disk has no room left. Free some space; a transfer that waits for room goes on by itself.
    case diskFull
    /// The drive or share that holds the directory is not mounted. Mount it; the transfer waits for that
    /// (`Waiting.Reason.mount`).
    case notMounted
    /// A file could not be read or written. The sentence has the system's own words; retry once the disk is
    /// well.
    case fileFailed
    /// The process has as many open files as it may have. Longhaul tries again by itself; raise the limit if it
    /// lasts.
    case tooManyOpenFiles

    // The network.

    /// There is no network. The transfer goes on when there is one.
    case offline
    /// The name servers say that no host has this name, or that the host has no address. Check the
    /// name in the URL.
    case hostNotFound
    /// The name server did not answer, or failed, so that the host's address is unknown. The
    /// transfer waits for the network, and uses up none of its retries.
    case nameLookupFailed
    /// The host refused the connection. Check the port, and that the server runs.
    case connectionRefused
    /// No connection could be made. Check the network, the proxy and the firewall.
    case connectionFailed
    /// The connection broke in the middle. Longhaul tries again by itself, from the last safe byte if it can.
    case connectionLost
    /// The server was silent for too long. Longhaul tries again automatically; see `timeoutIntervalForRequest` and
    /// `timeoutIntervalForResponse`.
    case timedOut
    /// The server's certificate is not accepted because of its name, its dates or its issuer; the sentence says
    /// which. If you trust the issuer, set `NetworkOptions.caFile`.
    case certificateRejected
    /// A certificate or a signature is not valid yet by the clock of this machine. The transfer waits for the clock
    /// (`Waiting.Reason.clock`).
    case notYetValid
    /// No secure connection could be agreed on. The server offers no protocol version or cipher that this
    /// machine accepts.
    case tlsFailed
    /// The proxy could not be used. Check its address in `NetworkOptions.proxy` or in the environment.
    case proxyFailed

    // What the server said.

    /// The server does not have it (404, 410). Check the URL.
    case notFound
    /// The server or the proxy requires other credentials (401, 407). Give the transfer new ones and it goes on;
    /// see ``TransferOptions/credential``.
    case credentialsRequired
    /// The server does not allow it (403). Other credentials or another URL may help, retrying does not.
    case forbidden
    /// The server asked for a pause (429, 503). Longhaul tries again when the pause is over.
    case serverBusy
    /// The server had an error (another 5xx). Longhaul tries again by itself; after the last attempt, retry when
    /// the server is well.
    case serverFailed
    /// The server did not accept the request (another 4xx). Its answer, if it was kept, says why.
    case requestRejected
    /// A redirect was not followed, because there were too many, or the method must not be repeated elsewhere.
    /// Use the final URL. A POST that was answered with a redirect may have been carried out.
    case redirectRefused
    /// The network requires a login before it lets anything through. Log in with a browser; then the transfer
    /// goes on.
    case captivePortal
    /// A condition in the request's header fields did not hold (412). Look at what changed on the server.
    case preconditionFailed

    // What does not fit together.

    /// The server's answer breaks the protocol. The server, or a proxy in between, has to be mended.
    case protocolViolation
    /// The content changed on the server while it was downloaded. Retry to download the new version from its
    /// beginning.
    case contentChanged
    /// The length is not what was announced. Retry; if it happens again, the server announces a wrong length.
    case lengthMismatch
    /// The digest of the file is not the expected one. The file was discarded: check the expected digest and the
    /// URL.
    case digestMismatch
    /// The file does not have the signature that it must have, or the signature cannot be checked; the sentence says
    /// which. The file has not got its name. Retry once the keyring has the right key.
    case signatureInvalid
    /// The server no longer has the unfinished upload. Retry to upload from the beginning.
    case uploadGone
    /// The request was sent and no answer tells what became of it: the server may or may not have carried it
    /// out. Find out before you send it again; an ``TransferOptions/idempotencyKey`` makes repeating it safe.
    case outcomeUnknown

    // Limits that the app has set.

    /// The transfer took longer than `timeoutIntervalForResource`. Retry to give it as long again.
    case resourceTimeExceeded
    /// No byte arrived or left for as long as `progressTimeout` allows. Retry when the server is well.
    case noProgress

    /// The transfer after whose success this one was to begin did not succeed. Retry begins it all the same.
    case predecessorFailed

    // Background tasks.

    /// As many background tasks of this kind are pending as may be. Cancel one, or use the identifier of a
    /// pending one.
    case tooManyPendingTaskRequests
    /// No background task is pending under this identifier. Submit it first.
    case unknownTask

    // Longhaul itself.

    /// The session's store was damaged, and how far this transfer had come is lost. Retry the transfer.
    case storeDamaged
    /// The session's store could not be written. Check that the disk has room and allows writing.
    case storeFailed
    /// Another process runs the session. Close it there, or use `.service` execution, where processes share a
    /// session.
    case sessionInUse
    /// The service `longhauld` does not answer and could not be started. Check that it is installed; `longhaul
    /// doctor` says more.
    case serviceUnavailable
    /// The request is larger than a message may be. Submit fewer or smaller transfers at once; send large bodies
    /// from a file.
    case messageTooLarge
    /// The app and the service are of versions that do not understand each other. Update the older one.
    case protocolMismatch
    /// The service belongs to another user. Each user has a service of their own.
    case accessDenied
    /// The call was cancelled, or the session was closed. The transfer itself was not touched, unless the
    /// sentence says so.
    case interrupted
    /// Longhaul made a mistake, the system refused it a thread, or the service ended twice over this transfer and set it
    /// aside; the sentence tells which. Please report a mistake.
    case internalFault
}
