import LonghaulCore

/// Finds what was probably meant by a misspelt word.
enum Suggestion {
    static func text(for name: Substring, among options: [Option]) -> String {
        if let letter = letter(for: name) { return text(for: letter) }
        let own = option(for: name).flatMap { own in options.first { $0.long == own }?.long }
        return (own ?? nearest(to: String(name), among: options.map(\.long))).map { " (did you mean --\($0)?)" } ?? ""
    }

    /// The letter of a long option of curl, wget or aria2 that stands for nothing here.
    private static func letter(for name: Substring) -> Character? {
        switch name {
        case "continue", "continue-at": "c"
        case "verbose", "debug": "v"
        case "location": "L"
        case "remote-name", "remote-header-name", "content-disposition": "O"
        case "fail", "fail-with-body": "f"
        case "request": "X"
        case "upload-file": "T"
        default: nil
        }
    }

    /// What an option of curl, wget or aria2 is called here.
    private static func option(for name: Substring) -> String? {
        switch name {
        case "ca-certificate": "cacert"
        case "dir", "directory-prefix", "output-dir": "directory"
        case "form-data": "form"
        case "http-user": "user"
        case "max-download-limit", "max-upload-limit": "limit-rate"
        case "max-redirect": "max-redirs"
        case "max-tries", "tries": "retry"
        case "no-check-certificate": "insecure"
        case "no-proxy": "noproxy"
        case "out", "output-document": "output"
        case "silent", "no-verbose": "quiet"
        default: nil
        }
    }

    /// What letters of curl and wget stand for here.
    static func text(for letter: Character) -> String {
        switch letter {
        case "O": ": without -o a file gets the name that the server suggests"
        case "L": ": redirects are followed"
        case "c", "C":
            ": its own downloads go on by themselves; the partial file of another program cannot be continued"
        case "v": ": longhaul history ID and longhaul show ID tell what happened"
        case "s", "S": ": -q says nothing but errors"
        case "P": ": -d chooses the directory"
        case "f": ": the exit status tells what failed"
        case "T": ": files stand before the URL, without an option"
        case "X": ": the method stands before the URL of longhaul request"
        default: ""
        }
    }

    /// What is called otherwise elsewhere.
    static func command(for word: String) -> String? {
        switch word {
        case "fetch", "add": "download"
        case "push", "send": "upload"
        case "status": "list"
        case "delete", "clean", "forget": "remove"
        case "stop": "pause"
        case "start", "restart": "resume"
        case "info": "show"
        case "log": "history"
        default: nil
        }
    }

    /// The word that needs the fewest changes: two at most, fewer for short words.
    static func nearest(to word: String, among words: [String]) -> String? {
        let limit = word.count < 4 ? 1 : 2
        let ranked = words.map { (word: $0, distance: distance(word, $0)) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.word }
        return word.count >= 3 ? words.first { $0.hasPrefix(word) } : nil
    }

    /// Insertions, deletions and replacements between two words.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (line, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
