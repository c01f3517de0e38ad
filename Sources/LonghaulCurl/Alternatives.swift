import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The engine's knowledge about HTTP/3, and the file that stores it with the session. Owned by the network thread.
///
/// One table serves all exchanges. libcurl's own cache (CURLOPT_ALTSVC) belongs to one easy handle, is written when the
/// handle is freed, and has no fallback.
final class Alternatives {
    private let path: String?
    private let workers: FileWorkers
    private var origins: HTTP3Origins

    /// Without a path, nothing is stored.
    init(path: String?, workers: FileWorkers) {
        self.path = path
        self.workers = workers
        let text = path.flatMap { AlternativesFile(path: $0).read() } ?? ""
        origins = HTTP3Origins(text: text, clock: SystemClock.wallTime().seconds)
    }

    func isHTTP3ToBeTried(at url: TransferURL, as use: HTTP3Use, now: Int64) -> Bool {
        guard use != .never, LibcurlFeature.http3, url.scheme == "https" else { return false }
        return origins.isToBeTried(at: url.origin, as: use, now: now, clock: SystemClock.wallTime().seconds)
    }

    /// Processes the Alt-Svc headers of a response, which must come from the origin that they describe.
    func update(_ head: ResponseHead, from url: TransferURL) {
        let fields = head.headers.all("Alt-Svc")
        guard !fields.isEmpty, LibcurlFeature.http3 else { return }
        let age = head.headers.single("Age").flatMap { DecimalField.parse($0) } ?? 0
        let announcement = HTTP3Announcement(fields: fields, age: age, host: url.host, port: url.port)
        guard let announcement, origins.update(announcement, of: url.origin, clock: SystemClock.wallTime().seconds)
        else {
            return
        }
        guard let path else { return }
        let text = origins.text
        workers.perform { AlternativesFile(path: path).write(text) }
    }

    func registerFailure(of url: TransferURL, now: Int64) { origins.registerFailure(at: url.origin, now: now) }
}

/// The stored file. It is a cache: it is not synced, a failed write leaves no file, and an unreadable file is ignored.
struct AlternativesFile: Sendable {
    let path: String
    /// The maximum number of bytes that are read. A line for an origin has about fifty bytes.
    private static let longest = 1 << 20

    func read() -> String? {
        guard let file = try? Descriptor(opening: path, [.reading, .noLink, .atOnce]),
            let bytes = try? file.readBeginning(limit: Self.longest)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces the file atomically, so that a killed process leaves either the old file or the new one.
    func write(_ text: String) {
        let draft = path + ".new"
        do throws(SystemError) {
            let file = try Descriptor(opening: draft, [.writing, .making, .emptied, .noLink])
            try file.write(text)
            try file.finish()
            try Files.rename(draft, to: path)
        } catch {
            Files.discard(draft)
        }
    }
}
