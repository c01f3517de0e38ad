import CCurl
package import LonghaulCore
import LonghaulSystem
import Synchronization

/// The engine over libcurl: one network thread for all exchanges, and a few threads that wait for disks.
///
/// The sink gets the events of one turn of a thread at a time, on that thread; it must be quick and must not call
/// `shutDown`.
package final class CurlEngine: Engine {
    private let mailbox: Mailbox
    private let workers: FileWorkers
    private let progress = ProgressTable()
    private let thread: EngineThread
    private let hasShutDown = Atomic(false)

    /// Starts the engine's threads. `alternatives` is the file in which is kept what servers announce, `cookies` the one of the session's
    /// cookies. Other rules and budgets than the usual ones are for tests.
    package init(
        alternatives: String? = nil, cookies: String? = nil, bodyPaths: BodyPathRule = BodyPathRule(),
        writers: WriterBudget = .process,
        sink: @escaping @Sendable ([(Ticket, EngineEvent)]) -> Void
    ) throws(TransferFailure) {
        let memory = DigestMemory()
        let bodies = HeldBodies()
        let mailbox = try Mailbox()
        let workers = try FileWorkers(mailbox: mailbox, memory: memory, bodies: bodies, sink: sink)
        do throws(TransferFailure) {
            let files = FileSide(
                paths: bodyPaths.limited(to: Self.directPaths), workers: workers, memory: memory, bodies: bodies,
                writers: writers, mailbox: mailbox)
            let network = try NetworkThread(
                files: files, alternatives: alternatives, cookies: cookies, progress: progress, sink: sink)
            thread = try EngineThread(named: "longhaul-net") { ThreadLocale.withUTF8(network.run) }
        } catch {
            workers.shutDown()
            throw error
        }
        self.mailbox = mailbox
        self.workers = workers
    }

    deinit { shutDown() }

    /// The version of the libcurl that this process has loaded.
    package static var libcurlVersion: String {
        guard let information = curl_version_info(CURLVERSION_FIRST), let version = information.pointee.version else {
            return ""
        }
        return String(cString: version)
    }

    /// The paths past libcurl that engines of this process take.
    package static var directPaths: DirectPaths {
        DirectPaths(libcurl: libcurlVersion, choice: ThisProcess.variable(DirectPaths.variable))
    }

    /// Whether that libcurl has HTTP/3.
    package static var hasHTTP3: Bool { LibcurlFeature.http3 }

    package func start(_ job: EngineJob) {
        switch job.work {
        case .exchange(let plan):
            progress.add(job.ticket)
            mailbox.post(.start(job.ticket, plan))
        case .inspectSources(let paths): workers.add(.inspectSources(job.ticket, paths))
        case .measurePartial(let path, let directory, let source?):
            workers.copy(job.ticket, ForeignCopy(source: source, path: path, directory: directory))
        case .measurePartial(let path, let directory, nil):
            workers.add(.measurePartial(job.ticket, path: path, directory: directory))
        case .place(let plan): workers.place(job.ticket, plan)
        case .checkPieces(let check): workers.check(job.ticket, check)
        case .discard(let paths): workers.add(.discard(job.ticket, paths))
        }
    }

    package func cancel(_ ticket: Ticket) {
        workers.cancel(ticket)
        mailbox.post(.cancel(ticket))
    }

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

    package func shutDown() {
        guard !hasShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.stop)
        thread.join()
        workers.shutDown()
    }
}
