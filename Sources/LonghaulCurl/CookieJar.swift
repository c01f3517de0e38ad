import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The cookies that exchanges share, as libcurl keeps them, with their source and target files.
///
/// The jar lives as long as an exchange uses it. The next jar reads the file again, which other programs may have
/// written meanwhile.
final class CookieJar {
    let share: ConnectionShare
    /// Files to read first, and whether that was done.
    private let files: [String]
    private var isRead = false
    /// The path for storing the cookies; `nil` keeps them only for these exchanges.
    private let path: String?
    /// Whether a server has sent cookies since the last write.
    private var hasNews = false

    init?(reading files: [String], keptIn path: String?) {
        guard let share = ConnectionShare(ofCookies: true) else { return nil }
        self.share = share
        self.path = path
        self.files = files
    }

    func add(_ head: [HeaderField]) {
        isRead = true
        if head.contains(where: { $0.isNamed("Set-Cookie") }) { hasNews = true }
    }

    /// Sets the handle's options to use the jar.
    func prepare(_ easy: EasyHandle) throws(TransferFailure) {
        if let path, !Files.isTaken(path) { try make(path) }
        // An empty name enables cookies without reading any.
        easy.set(CURLOPT_COOKIEFILE, "")
        if isRead { return }
        for file in files { easy.set(CURLOPT_COOKIEFILE, file) }
    }

    /// Writes received cookies before the handle is removed from libcurl.
    func keep(with easy: EasyHandle) {
        guard hasNews, let path else { return }
        hasNews = false
        easy.set(CURLOPT_COOKIEJAR, path)
        easy.set(CURLOPT_COOKIELIST, "FLUSH")
        easy.clear(CURLOPT_COOKIEJAR)
    }

    /// Creates the file with private permissions, which libcurl keeps when it replaces the file: cookies can be
    /// credentials.
    private func make(_ path: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Descriptor(opening: path, [.writing, .making, .noLink], permissions: 0o600).finish()
        } catch {
            throw TransferFailure(
                .fileFailed, "Could not save the cookies in \(path): \(error.text). Choose another file.",
                origin: error.origin)
        }
    }
}

/// The jars in use, by source and target file.
struct CookieJars {
    private struct Place: Hashable {
        var source: String?
        var target: String?
    }

    private struct Entry {
        weak var jar: CookieJar?
    }

    /// The path of the session's cookies; `nil` keeps them in memory.
    private let sessionPath: String?
    private var entries: [Place: Entry] = [:]

    init(sessionPath: String?) {
        self.sessionPath = sessionPath
    }

    /// Returns the jar for these options; `nil` if they use no cookies.
    mutating func jar(for network: NetworkOptions) throws(TransferFailure) -> CookieJar? {
        let keptIn = network.keepsCookiesWithSession ? sessionPath : network.cookieJar
        guard keptIn != nil || network.keepsCookiesWithSession || network.cookieFile != nil else { return nil }
        if let file = network.cookieFile { try check(file) }
        let place = Place(source: network.cookieFile, target: keptIn)
        // A jar without a target is not shared: a login of one transfer must not apply to another.
        if keptIn != nil, let jar = entries[place]?.jar { return jar }
        let files = [keptIn, network.cookieFile].compactMap(\.self).filter { Files.isTaken($0) }
        guard let jar = CookieJar(reading: files, keptIn: keptIn) else { throw systemFailure(.outOfMemory) }
        entries = entries.filter { $0.value.jar != nil }
        if keptIn != nil { entries[place] = Entry(jar: jar) }
        return jar
    }

    private func check(_ file: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Files.check(.read, file)
        } catch {
            throw TransferFailure(
                .fileFailed, "Could not read the cookies in \(file): \(error.text). Check the file.",
                origin: error.origin)
        }
    }
}
