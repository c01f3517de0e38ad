import LonghaulCore

/// The names and passwords in `~/.netrc`, as curl and ftp read it.
struct Netrc: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        /// `nil` for all hosts without an entry.
        var host: String?
        var login = ""
        var password = ""
    }

    private var entries: [Entry] = []

    /// Reads the file in the home directory, which must exist.
    init(_ world: World) throws(TransferFailure) {
        guard let home = world.environment["HOME"], !home.isEmpty else {
            throw .usage("--netrc needs the variable HOME to find .netrc.")
        }
        let bytes = try LocalFiles.readAll(home + "/.netrc", limit: 1 << 20)
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) {
        var words = Self.words(of: text)[...]
        while let word = words.popFirst() {
            // As in curl, keywords ignore case.
            switch word.lowercased() {
            case "machine": entries.append(Entry(host: words.popFirst()?.lowercased() ?? ""))
            case "default": entries.append(Entry())
            case "login": if !entries.isEmpty { entries[entries.count - 1].login = words.popFirst() ?? "" }
            case "password": if !entries.isEmpty { entries[entries.count - 1].password = words.popFirst() ?? "" }
            // Ignores the value of "account" and unknown words.
            default: break
            }
        }
    }

    /// Returns the Authorization header for a host, if there is an entry.
    func authorization(for host: String) -> HeaderField? {
        let host = host.lowercased()
        guard let entry = entries.first(where: { $0.host == nil || $0.host == host }), !entry.login.isEmpty else {
            return nil
        }
        let value = "Basic " + Base64.encode((entry.login + ":" + entry.password).utf8)
        return HeaderField("Authorization", value, isSecret: true)
    }

    /// Words are divided by white space, unless they are quoted. A macro lasts to the next empty line.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var isMacro = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            let found = Self.words(ofLine: line)
            let end = found.firstIndex { $0.lowercased() == "macdef" } ?? found.endIndex
            words += found[..<end]
            isMacro = end < found.endIndex
        }
        return words
    }

    private static func words(ofLine line: Substring) -> [String] {
        var words: [String] = []
        var rest = line.trimming(\.isWhitespace)
        while let first = rest.first, first != "#" {
            var word = ""
            if first == "\"" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "\"" {
                    word.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
            } else {
                word = String(rest.prefix { !$0.isWhitespace })
                rest = rest.dropFirst(word.count)
            }
            words.append(word)
            rest = rest.drop(while: \.isWhitespace)
        }
        return words
    }
}
