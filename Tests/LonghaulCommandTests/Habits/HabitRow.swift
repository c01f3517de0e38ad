import LonghaulCore
import Testing

@testable import LonghaulCommand

/// A command of a user who knows another program, and the result of typing it after `longhaul`.
struct HabitRow: Sendable, CustomTestStringConvertible {
    enum Meaning: Sendable {
        /// It does what was meant: these are facts of the submitted transfers.
        case does([String])
        /// It is refused, and ends with this command. Running that does what was meant.
        case types(String)
        /// It is refused with this sentence.
        case says(String)
    }

    /// The words after the name of the other program.
    let words: [String]
    let meaning: Meaning

    var testDescription: String { words.joined(separator: " ") }

    init(_ line: String, _ meaning: Meaning) {
        precondition(Self.isTelling(meaning), "\(line) expects nothing")
        words = Array(Self.words(of: line).dropFirst())
        self.meaning = meaning
    }

    private init(words: [String], _ meaning: Meaning) {
        self.words = words
        self.meaning = meaning
    }

    /// The same words after the name of their program.
    func after(_ program: String) -> HabitRow { HabitRow(words: [program] + words, meaning) }

    /// Returns whether the expected text or facts can fail: an empty text is in every other text.
    static func isTelling(_ meaning: Meaning) -> Bool {
        switch meaning {
        case .does(let facts): !facts.isEmpty && facts.allSatisfy { $0.count > 3 }
        case .types(let command): command.hasPrefix("longhaul ") && command.count > "longhaul ".count
        case .says(let sentence):
            sentence.count > 10
                && (["--", "longhaul ", "Longhaul ", "must be "].contains(where: sentence.contains)
                    || sentence.contains(/-[A-Za-z][ :]/))
        }
    }

    /// Splits a line as a shell does. Single quotes keep spaces.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let whole = word { words.append(whole) }
        return words
    }
}

extension TransferSpec {
    /// The facts from the user's point of view.
    var facts: Set<String> {
        var facts: Set = ["\(method) \(url)"]
        switch work {
        case .download(let download):
            facts.insert("to \(download.fileName ?? "what the server says")")
            facts.insert("in \(download.directory.split(separator: "/").last ?? "")")
            // Without the directory of the test.
            facts.insert("in \(download.directory.split(separator: "/").dropFirst(2).joined(separator: "/"))")
            if let range = download.range { facts.insert("bytes \(range.first)-\(range.last ?? -1)") }
            if download.keepsRemoteTime { facts.insert("with the server's time") }
            if download.keepsRemoteTime, download.collision == .overwrite { facts.insert("only if newer") }
            if download.collision == .overwrite { facts.insert("replaces a file") }
            if download.collision == .fail { facts.insert("fails if the file exists") }
            if download.collision == .number { facts.insert("adds a number if the file exists") }
            if download.isFollowed { facts.insert("to standard output") }
            if let existing = download.existing { facts.insert("skips by \(existing.test)") }
            if let digest = download.expectedDigest { facts.insert("\(digest.algorithm)") }
        case .request(let body): facts.insert("sends \(String(decoding: body, as: UTF8.self))")
        case .upload(.form(_, let parts)): facts.insert("form of \(parts.map(\.name).joined(separator: ","))")
        case .upload(.raw(let source)), .upload(.tus(let source, _)): facts.insert("uploads \(source.path)")
        }
        for field in headers { facts.insert("\(field.name): \(field.value)") }
        facts.insert(options.rateLimit.map { "\($0) B/s" } ?? "any B/s")
        facts.insert("\(options.retryLimit) retries")
        facts.insert("asks for \(headers.all("Accept-Encoding").first ?? "no encoding")")
        facts.insert(options.isAttended ? "attended" : "in the background")
        if let date = options.earliestBeginDate { facts.insert("starts \(TimeText.local(date, offset: 3_600))") }
        facts.insert("\(options.segments ?? 0) connections")
        facts.insert("\(options.timeoutIntervalForResource.microseconds / 1_000_000) s")
        facts.insert("stalls \(network.timeoutIntervalForRequest.microseconds / 1_000_000) s")
        if let file = network.cookieFile { facts.insert("cookies of \(file.split(separator: "/").last ?? "")") }
        if network.allowsUntrustedServer { facts.insert("unchecked") }
        facts.insert("by \(network.proxy ?? "")")
        for mirror in options.mirrors { facts.insert("mirror \(mirror)") }
        if network.noProxy == "*" { facts.insert("no proxy") }
        facts.insert("User-Agent: \(network.userAgent ?? "")")
        return facts
    }
}
