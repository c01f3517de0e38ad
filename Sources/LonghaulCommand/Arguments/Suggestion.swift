import LonghaulCore

/// Finds what was probably meant by a misspelt word.
enum Suggestion {
    static func text(for name: Substring, among options: [Option]) -> String {
        if let letter = letter(for: name) { return text(for: letter) }
        if let habit = habit(name) { return ": " + habit }
        let own = option(for: name).flatMap { own in options.first { $0.long == own }?.long }
        return (own ?? nearest(to: String(name), among: options.map(\.long))).map { " (did you mean --\($0)?)" } ?? ""
    }

    /// The letter of a long option of curl, wget or aria2 that stands for nothing here.
    private static func letter(for name: Substring) -> Character? {
        switch name {
        case "debug": "v"
        case "location": "L"
        case "remote-name", "remote-header-name", "content-disposition": "O"
        case "fail", "fail-with-body": "f"
        case "request": "X"
        case "upload-file": "T"
        case "form": "F"
        case "head", "spider": "I"
        case "post-data", "post-file", "body-data", "data", "data-binary", "data-urlencode", "data-raw": "X"
        case "recursive", "page-requisites", "convert-links": "r"
        case "compressed": "E"
        case "time-cond": "z"
        case "password", "http-passwd", "http-password": "U"
        case "no-clobber": "N"
        case "max-concurrent-downloads", "parallel", "parallel-max": "j"
        case "file-allocation": "a"
        case "cookie", "cookie-jar", "load-cookies", "save-cookies": "B"
        default: nil
        }
    }

    /// What a long option of curl, wget or aria2 asks for that is there without an option, or is had in another way.
    private static func habit(_ name: Substring) -> String? {
        switch name {
        case "create-dirs": "-d makes the directory that it names"
        case "retry-delay", "retry-max-time", "retry-wait", "waitretry":
            "waits between attempts grow by themselves, and longhaul retry ID does not wait"
        case "get": "what is asked for stands in the URL"
        case "ipv4", "ipv6", "inet4-only", "inet6-only", "disable-ipv6": "IPv4 and IPv6 are tried side by side"
        case "config", "conf-path": "options for every transfer stand in ~/.config/longhaul/options"
        case "save-session": "what is submitted is kept by itself until it has ended"
        case "enable-rpc": "programs ask with --json, or over the socket of the service"
        default: nil
        }
    }

    /// What an option of curl, wget or aria2 is called here that does not quite mean the same.
    private static func option(for name: Substring) -> String? {
        switch name {
        case "form-data": "form"
        case "rate": "limit-rate"
        case "http-proxy", "https-proxy": "proxy"
        case "clobber": "overwrite"
        case "certificate", "private-key-type", "cert-type": "cert"
        case "timeout", "read-timeout", "speed-time", "speed-limit", "lowest-speed-limit": "stall-timeout"
        case "max-tries": "retry"
        case "conditional-get": "timestamping"
        case "no-proxy": "noproxy"
        case "background": "yield"
        default: nil
        }
    }

    /// What letters of curl and wget stand for here.
    static func text(for letter: Character) -> String {
        switch letter {
        case "O": ": without -o a file gets the name that the server suggests"
        case "L": ": redirects are followed"
        case "-": ": -o - writes to standard output"
        case "v": ": -v shows the heads of requests and responses"
        case "s", "S": ": -q says nothing but errors"
        case "1"..."9":
            ": --split N says over how many connections; longhaul limits says how many transfers run at once"
        case "B": ": -H 'Cookie: NAME=VALUE' sends one"
        case "P": ": -d chooses the directory; {a,b} and [1-9] in URLs are understood without a letter"
        case "f": ": the exit status tells what failed"
        case "T": ": longhaul upload FILE URL sends a file; -m limits the time"
        case "X": ": longhaul request METHOD URL --data TEXT sends a request"
        case "F": ": longhaul upload -F NAME=@FILE URL sends a form"
        case "I": ": longhaul request HEAD URL asks for the head alone"
        case "r", "m", "p", "l": ": single files are downloaded, never whole sites or what belongs to a page"
        case "K":
            ": single files are downloaded, never whole sites; options for every transfer stand in ~/.config/longhaul/options"
        case "G": ": what is asked for stands in the URL"
        case "z": ": -N replaces a file that is there by a newer one"
        case "E": ": files come as they are, and are not unpacked or renamed"
        case "t": ": --retry N says how often it is tried again"
        case "U": ": -u USER asks for the password, and -A sends a User-Agent"
        case "N":
            ": a file that is there stays, and the new one has a name of its own; -N replaces it by a newer one, --skip-existing name leaves it"
        case "w": ": what became of it is told by the exit status, and by --json"
        case "j", "Z": ": several URLs are several downloads; longhaul limits --total N says how many run at once"
        case "a": ": room on the disk is taken as bytes come"
        case "d": ": longhaul request METHOD URL --data TEXT sends data; -b leaves a transfer to the service"
        case "y", "Y": ": --stall-timeout TIME fails an attempt whose body stalls for TIME"
        case "D": ": -b leaves a transfer to the service"
        default: ""
        }
    }

    /// What is called otherwise elsewhere.
    static func command(for word: String) -> String? {
        switch word {
        case "fetch", "add", "curl", "wget", "wget2", "aria2c": "download"
        case "push", "send": "upload"
        case "status": "list"
        case "delete", "clean", "forget": "remove"
        case "stop": "pause"
        case "start", "restart": "resume"
        case "info": "show"
        case "log": "history"
        case "set-rate": "set ID --limit-rate RATE"
        case "set-priority": "set ID --priority N|first|last"
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
