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

    /// Other programs require it.
    private static let firstLine = #"# Netscape HTTP Cookie File"# + "\n"

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
    func prepare(_ easy: EasyHandle) {
        // An empty name enables cookies without reading any.
        easy.set(CURLOPT_COOKIEFILE, "")
        if isRead { return }
        for file in files { easy.set(CURLOPT_COOKIEFILE, file) }
    }

    /// Saves received cookies before the handle is removed from libcurl. Returns the failure.
    ///
    /// CURLOPT_COOKIEJAR is not used: libcurl 7.88 empties the file before it creates its temporary file, follows no dangling link, and
    /// reports no error.
    func save(with easy: EasyHandle) -> TransferFailure? {
        guard hasNews, let path else { return nil }
        do throws(SystemError) {
            try PrivateFile(path).replace(with: Array(Self.firstLine.utf8) + easy.cookieLines)
        } catch {
            return LocalPaths.unsavedCookies(path, error)
        }
        hasNews = false
        return nil
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
        if let keptIn { try LocalPaths.checkCookieJar(keptIn) }
        let place = Place(source: network.cookieFile, target: keptIn)
        // A jar without a target is not shared: a login of one transfer must not apply to another.
        if keptIn != nil, let jar = entries[place]?.jar { return jar }
        let files = [keptIn, network.cookieFile].compactMap(\.self).filter { Files.isThere($0) }
        guard let jar = CookieJar(reading: files, keptIn: keptIn) else { throw systemFailure(.outOfMemory) }
        entries = entries.filter { $0.value.jar != nil }
        if keptIn != nil { entries[place] = Entry(jar: jar) }
        return jar
    }

    private func check(_ file: String) throws(TransferFailure) {
        // libcurl would wait for the other end of a pipe, on the network thread.
        guard Files.kind(file) != .pipe else {
            throw TransferFailure(.fileFailed, "\(file) is a pipe. Choose a regular file with cookies.")
        }
        do throws(SystemError) {
            try Files.check(.read, file)
        } catch {
            throw TransferFailure(
                .fileFailed, "Could not read the cookies in \(file): \(error.text). Check the file.",
                origin: error.origin)
        }
    }
}
