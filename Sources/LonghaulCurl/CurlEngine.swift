import CCurl
package import LonghaulCore
package import LonghaulFiles
import LonghaulSystem
import Synchronization

extension Engine {
    /// Creates the engine of this machine: libcurl for exchanges, and threads for disk work.
    ///
    /// The sink receives the events of one turn of a thread at a time, on that thread. It must be quick and must not
    /// call `shutDown`. `alternatives` is the file for servers' announcements, `cookies` the file for the session's
    /// cookies. The other parameters have values other than their defaults only in tests.
    package static func overLibcurl(
        alternatives: String? = nil, cookies: String? = nil, bodyPaths: BodyPathRule = BodyPathRule(),
        writers: WriterBudget = .process, clock: EngineClock = EngineClock(), peerLimits: PeerLimits = PeerLimits(),
        sink: @escaping @Sendable ([(Ticket, EngineEvent)]) -> Void
    ) throws(TransferFailure) -> Engine {
        let files = try FileWorkers(sink: sink)
        return Engine(
            exchanges: try CurlEngine(
                files: files, alternatives: alternatives, cookies: cookies, bodyPaths: bodyPaths, writers: writers,
                clock: clock, peerLimits: peerLimits, sink: sink),
            files: files)
    }
}

/// Exchanges over libcurl, with one network thread for all of them.
package final class CurlEngine: ExchangeEngine {
    private let mailbox: Mailbox
    private let progress: ProgressTable
    private let thread: EngineThread
    private let hasShutDown = Atomic(false)

    /// Starts the thread. Bodies are written by `files`, which must exist until this engine is shut down.
    package init(
        files: FileWorkers, alternatives: String?, cookies: String?, bodyPaths: BodyPathRule, writers: WriterBudget,
        clock: EngineClock, peerLimits: PeerLimits, sink: @escaping @Sendable ([(Ticket, EngineEvent)]) -> Void
    ) throws(TransferFailure) {
        mailbox = try Mailbox()
        progress = ProgressTable(clock: clock)
        let side = FileSide(
            paths: bodyPaths.limited(to: Self.directPaths), workers: files, writers: writers, mailbox: mailbox)
        let network = try NetworkThread(
            files: side, alternatives: alternatives, cookies: cookies, progress: progress, clock: clock,
            peerLimits: peerLimits, sink: sink)
        do throws(TransferFailure) {
            thread = try EngineThread(named: "longhaul-net") { ThreadLocale.withUTF8(network.run) }
        } catch {
            // Without its thread, nothing else releases libcurl's resources.
            network.abandonAll()
            throw error
        }
    }

    deinit { shutDown() }

    /// The version of the libcurl that this process has loaded.
    package static var libcurlVersion: String {
        guard let information = curl_version_info(CURLVERSION_FIRST), let version = information.pointee.version else {
            return ""
        }
        return String(cString: version)
    }

    /// The direct paths (past libcurl) that engines of this process use.
    package static var directPaths: DirectPaths {
        DirectPaths(libcurl: libcurlVersion, choice: ThisProcess.variable(DirectPaths.variable))
    }

    /// Whether the loaded libcurl supports HTTP/3.
    package static var hasHTTP3: Bool { LibcurlFeature.http3 }

    package func start(_ plan: ExchangePlan, as ticket: Ticket, named name: ExchangeID?) {
        progress.add(ticket)
        mailbox.post(.start(ticket, plan))
    }

    package func cancel(_ ticket: Ticket) { mailbox.post(.cancel(ticket)) }

    package func release(_ ticket: Ticket, _ decision: ReleaseDecision) {
        mailbox.post(.release(ticket, decision))
    }

    package func progress(of ticket: Ticket) -> ExchangeProgress? {
        progress[ticket]
    }

    package func setRateLimit(_ bytesPerSecond: Int64?, of ticket: Ticket) {
        mailbox.post(.setRateLimit(bytesPerSecond, ticket))
    }

    package func setAllowance(_ bytes: Int64?, of ticket: Ticket) {
        mailbox.post(.setAllowance(bytes, ticket))
    }

    package func setYields(_ yields: Bool, of ticket: Ticket) {
        mailbox.post(.setYields(yields, ticket))
    }

    package func setConnections(_ most: Int, of ticket: Ticket) {
        mailbox.post(.setConnections(most, ticket))
    }

    package func reportNetworkChange() { mailbox.post(.networkChanged) }

    package func shutDown() {
        guard !hasShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.stop)
        thread.join()
    }
}
