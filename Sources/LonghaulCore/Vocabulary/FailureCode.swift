extension TransferFailure {
    /// The stable failure codes. Apps switch over them, and show the message to the user.
    ///
    /// Codes are added, never renamed. `docs/reference/exit-codes.md` lists them with the exit status of the
    /// command line; a test makes that table from the comments here.
    @nonexhaustive public enum Code: String, Equatable, Sendable, CaseIterable {
        // Requests that are impossible as submitted.

        /// A value is invalid. The message names the value and the valid ones.
        case invalidArgument
        /// The text is not a URL. Give an absolute `http` or `https` URL.
        case invalidURL
        /// The URL is neither `http` nor `https`. Longhaul supports no other scheme.
        case unsupportedScheme
        /// The session has no transfer with this identifier.
        case unknownTransfer
        /// No session has this name. A session exists from its first transfer on.
        case unknownSession
        /// Another transfer of the session has this key. Use another key, or remove that transfer first.
        case keyTaken
        /// The present state of the transfer, the session, or the task does not allow this. The message gives
        /// the reason.
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
        /// The disk is full. Free some space; a waiting transfer continues automatically.
        case diskFull
        /// The drive or share of the directory or source is not mounted. Mount it; the transfer waits for it (`mount`).
        case notMounted
        /// A file could not be read or written. The message contains the system's error. Fix the disk, then
        /// retry.
        case fileFailed
        /// The process has reached its limit of open files. Longhaul retries automatically; raise the limit
        /// if the failure persists.
        case tooManyOpenFiles

        // The network.

        /// There is no network. The transfer continues when there is one.
        case offline
        /// The name servers report that the host does not exist or has no address. Check the name in the URL.
        case hostNotFound
        /// The name server failed or did not answer, so the host's address is unknown. The transfer waits for
        /// the network and uses up none of its retries.
        case nameLookupFailed
        /// The host refused the connection. Check the port, and that the server is running.
        case connectionRefused
        /// No connection could be made. Check the network, the proxy, and the firewall.
        case connectionFailed
        /// The connection was lost. Longhaul retries automatically, from the last synced offset if possible.
        case connectionLost
        /// The server was silent for too long. Longhaul retries automatically; see
        /// `timeoutIntervalForRequest` and `timeoutIntervalForResponse`.
        case timedOut
        /// The server's certificate is rejected because of its name, its dates, or its issuer; the message
        /// gives the reason. If you trust the issuer, set `NetworkOptions.caFile` (`--cacert`). If you trust only
        /// this server's key, use `longhaul trust ID`.
        case certificateRejected
        /// A certificate or a signature is not valid yet by this machine's clock. The transfer waits for the
        /// clock (`clock`).
        case notYetValid
        /// No secure connection could be negotiated. The server offers no protocol version or cipher that
        /// this machine accepts.
        case tlsFailed
        /// The proxy could not be used. Check its address in `NetworkOptions.proxy` or in the environment. Longhaul
        /// retries unless the setting is invalid or the proxy forbids the connection.
        case proxyFailed

        // Responses of the server.

        /// The server does not have the resource (404, 410). Check the URL.
        case notFound
        /// The server or the proxy requires other credentials (401, 407). The transfer continues when it has
        /// new ones; see ``TransferOptions/credential``.
        case credentialsRequired
        /// The server forbids this (403). Other credentials or another URL may help; a retry does not.
        case forbidden
        /// The server requested a pause (429, 503). Longhaul retries after the pause.
        case serverBusy
        /// The server had an error (another 5xx). Longhaul retries automatically; after the last attempt,
        /// retry when the server is fixed.
        case serverFailed
        /// The server rejected the request (another 4xx). Its response, if kept, gives the reason.
        case requestRejected
        /// A redirect was not followed: there were too many, or the method must not be repeated. Use the
        /// final URL. The server may have carried out a POST that it redirected.
        case redirectRefused
        /// The network requires a login. Log in with a browser; then the transfer continues.
        case captivePortal
        /// A precondition in the headers of the request did not hold (412). Check the changes on the server.
        case preconditionFailed

        // Mismatches.

        /// The server or a proxy violates the protocol. Report it to its operator.
        case protocolViolation
        /// The content changed on the server during the download. Retry to download the new version from the
        /// beginning.
        case contentChanged
        /// The length differs from the announced length. Retry; if that fails too, the server announces a
        /// wrong length.
        case lengthMismatch
        /// The digest of the file is not the expected one. Longhaul discarded the file: check the expected
        /// digest and the URL.
        case digestMismatch
        /// The signature of the file is invalid or could not be checked; the message gives the reason. The
        /// file was not moved into place. Retry when the keyring has the right key.
        case signatureInvalid
        /// The server no longer has the unfinished upload. Retry to upload from the beginning.
        case uploadGone
        /// The request was sent without receiving a response: the server may or may not have carried it out.
        /// Find out before you send it again. An ``TransferOptions/idempotencyKey`` makes a retry safe.
        case outcomeUnknown

        // Limits of the app.

        /// The transfer exceeded `timeoutIntervalForResource` (`--max-time`). A retry starts the time again.
        case resourceTimeExceeded
        /// The transfer made no progress for `progressTimeout` (`--give-up-after`). Retry when the server is fixed.
        case noProgress

        /// The predecessor of the transfer (`--after`) did not succeed. A retry starts the transfer anyway.
        case predecessorFailed

        // Background tasks.

        /// Too many background tasks of this kind are pending. Cancel one, or use the identifier of a pending
        /// task.
        case tooManyPendingTaskRequests
        /// No background task with this identifier is pending. Submit it first.
        case unknownTask

        // Longhaul itself.

        /// The session's store was damaged, and the progress of this transfer is lost. Retry the transfer.
        case storeDamaged
        /// The session's store could not be written. Check the free space and the permissions of the disk.
        case storeFailed
        /// Another process runs the session. Close it there, or use `.service` execution, which lets
        /// processes share a session.
        case sessionInUse
        /// The service `longhauld` does not answer and could not be started. Check that it is installed;
        /// `longhaul doctor` shows details.
        case serviceUnavailable
        /// The request exceeds the size of a message. Submit fewer or smaller transfers at once; send large
        /// bodies from a file.
        case messageTooLarge
        /// The versions of the app and the service are incompatible. Update the older one.
        case protocolMismatch
        /// The service belongs to another user. Each user has a separate service.
        case accessDenied
        /// The call was cancelled, or the session was closed. The transfer itself is unchanged, unless the
        /// message says otherwise.
        case interrupted
        /// Longhaul has a bug, the system refused it a thread, or the service crashed twice over this
        /// transfer and quarantined it; the message says which. Report a bug to the project.
        case internalFault
    }
}

package typealias FailureCode = TransferFailure.Code
