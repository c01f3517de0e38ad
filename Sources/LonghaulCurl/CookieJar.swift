import CCurl
import LonghaulCore
import LonghaulFiles
import LonghaulSystem

/// The cookies of exchanges that share them, as libcurl keeps them, and the files that they come from and go to.
///
/// It lives as long as an exchange uses it; the next one reads the file again, which others may have written meanwhile.
final class CookieJar {
    let share: ConnectionShare
    /// Files to be read first, and whether that was done.
    private let files: [String]
    private var isRead = false
    /// Where the cookies are kept; `nil` keeps them for these exchanges alone.
    private let path: String?
    /// Whether a server has sent some since they were written.
    private var hasNews = false

    init?(reading files: [String], keptIn path: String?) {
        guard let share = ConnectionShare(ofCookies: true) else { return nil }
        self.share = share
        self.path = path
        self.files = files
    }

    func note(_ head: [HeaderField]) {
        isRead = true
        if head.contains(where: { $0.isNamed("Set-Cookie") }) { hasNews = true }
    }

    /// Has the handle's exchange use them.
    func prepare(_ easy: EasyHandle) throws(TransferFailure) {
        if let path, !Files.isTaken(path) { try make(path) }
        // An empty name begins without any.
        easy.set(CURLOPT_COOKIEFILE, "")
        if isRead { return }
        for file in files { easy.set(CURLOPT_COOKIEFILE, file) }
    }

    /// Writes what servers have sent, before the handle leaves libcurl's hands.
    func keep(with easy: EasyHandle) {
        guard hasNews, let path else { return }
        hasNews = false
        easy.set(CURLOPT_COOKIEJAR, path)
        easy.set(CURLOPT_COOKIELIST, "FLUSH")
        easy.clear(CURLOPT_COOKIEJAR)
    }

    /// libcurl replaces a file by one with the same permissions: nobody else reads what opens doors.
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

/// The jars in use, by what they read and write.
struct CookieJars {
    private struct Place: Hashable {
        var source: String?
        var target: String?
    }

    private struct Entry {
        weak var jar: CookieJar?
    }

    /// Where the session's cookies are; `nil` keeps them in memory.
    private let sessionPath: String?
    private var entries: [Place: Entry] = [:]

    init(sessionPath: String?) {
        self.sessionPath = sessionPath
    }

    /// The jar that these options ask for; `nil` where they ask for none.
    mutating func jar(for network: NetworkOptions) throws(TransferFailure) -> CookieJar? {
        let keptIn = network.keepsCookiesWithSession ? sessionPath : network.cookieJar
        guard keptIn != nil || network.keepsCookiesWithSession || network.cookieFile != nil else { return nil }
        if let file = network.cookieFile { try check(file) }
        let place = Place(source: network.cookieFile, target: keptIn)
        // What is read only is nobody else's: a site's login in one transfer is not that of another.
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
