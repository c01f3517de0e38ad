import LonghaulCore
import Testing

@testable import LonghaulCommand

/// A first command of somebody who knows another program, and what becomes of it when `longhaul` is typed instead of that
/// program's name.
struct HabitRow: Sendable, CustomTestStringConvertible {
    enum Meaning: Sendable {
        /// It does what was meant: these are facts of what is submitted.
        case does([String])
        /// It is not done, and a sentence tells how it is done here.
        case says(String)
    }

    var words: [String]
    var meaning: Meaning

    var testDescription: String { words.joined(separator: " ") }

    /// Words as a shell would see them: single quotes keep spaces.
    init(_ line: String, _ meaning: Meaning) {
        self.meaning = meaning
        words = []
        for (index, piece) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            let parts = index % 2 == 1 ? [piece] : piece.split(separator: " ", omittingEmptySubsequences: false)
            for (number, part) in parts.enumerated() {
                if number == 0, index > 0 { words[words.count - 1] += part } else { words.append(String(part)) }
            }
        }
        words.removeAll(where: \.isEmpty)
        // The name of the other program.
        words.removeFirst()
    }
}

extension TransferSpec {
    /// What a person would say of it.
    var facts: Set<String> {
        var facts: Set = ["\(method) \(url)"]
        if case .download(let download) = work {
            facts.insert("to \(download.fileName ?? "what the server says")")
            facts.insert("in \(download.directory.split(separator: "/").last ?? "")")
            if let range = download.range { facts.insert("bytes \(range.first)-\(range.last ?? -1)") }
            if download.keepsRemoteTime, download.collision == .overwrite { facts.insert("only if newer") }
            if let digest = download.expectedDigest { facts.insert("\(digest.algorithm)") }
        }
        for field in headers { facts.insert("\(field.name): \(field.value)") }
        if let rate = options.rateLimit { facts.insert("\(rate) B/s") }
        facts.insert("\(options.retryLimit) retries")
        facts.insert("\(options.timeoutIntervalForResource.microseconds / 1_000_000) s")
        if let file = network.cookieFile { facts.insert("cookies of \(file.split(separator: "/").last ?? "")") }
        if network.allowsUntrustedServer { facts.insert("unchecked") }
        facts.insert("by \(network.proxy ?? "")")
        facts.insert("User-Agent: \(network.userAgent ?? "")")
        return facts
    }
}
