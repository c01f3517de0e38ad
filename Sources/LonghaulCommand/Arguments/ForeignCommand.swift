import LonghaulCore

/// A command line of curl, wget, or aria2, read as that program reads it, and the same in Longhaul's words.
struct ForeignCommand {
    private enum Body {
        case text([String])
        case file(String)
    }

    private let program: ForeignProgram
    /// Options by their long names here, with their values.
    private var options: [(long: String, value: String?)] = []
    private var urls: [String] = []
    private var files: [String] = []
    private var forms: [(long: String, value: String?)] = []
    private var body: Body?
    private var isJSON = false
    private var goesIntoQuery = false
    private var method: String?
    private var acceptsCompression = false
    private var login: (user: String?, password: String?)
    private var other: [String]?
    /// Why Longhaul's words do not do quite the same.
    private(set) var note: String?
    /// Whether the words make sense as this program's. One letter can mean different things to several programs.
    private(set) var isPlausible = true

    init(_ typed: some Sequence<String>, of program: ForeignProgram) throws(TransferFailure) {
        self.program = program
        var rest = Array(typed)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                urls += rest
                break
            } else if word.hasPrefix("--") || Self.isLongWithOneDash(word, program) {
                try takeLong(word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try takeCluster(word.dropFirst(), &rest)
            } else {
                urls.append(word)
            }
        }
        if other == nil, urls.isEmpty || !urls.allSatisfy(Self.isURL) { isPlausible = false }
        if program != .aria2c { urls = urls.map { $0.contains("://") || !HostText.isHost($0) ? $0 : "http://" + $0 } }
    }

    private static func isURL(_ word: String) -> Bool {
        word.contains("://") || HostText.isHost(word) || MetalinkOrders.isMetalink(word)
    }

    /// wget writes `-nc` for one option.
    private static func isLongWithOneDash(_ word: String, _ program: ForeignProgram) -> Bool {
        program == .wget && word.hasPrefix("-n") && ForeignOption.named(word, of: .wget) != nil
    }

    // MARK: Reading

    private mutating func takeLong(_ word: String, _ rest: inout ArraySlice<String>) throws(TransferFailure) {
        let name = word.prefix { $0 != "=" }
        let attached = name.endIndex < word.endIndex ? String(word[word.index(after: name.endIndex)...]) : nil
        guard let option = ForeignOption.named(word, of: program) else {
            guard let own = Self.own(name.dropFirst(2)) else { throw unknown(name) }
            let value = own.value == nil ? nil : attached ?? rest.popFirst()
            return options.append((own.long, value))
        }
        guard option.takesValue else {
            if attached != "false" || option.names.contains(Substring(word)) { try apply(option, String(name), "") }
            return
        }
        guard let value = attached ?? rest.popFirst() else { throw .usage("\(name) needs a value.") }
        try apply(option, String(name), value)
    }

    private mutating func takeCluster(
        _ letters: Substring, _ rest: inout ArraySlice<String>
    ) throws(TransferFailure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = ForeignOption.named("-\(letter)", of: program) else { throw unknown("-\(letter)") }
            guard option.takesValue else {
                try apply(option, "-\(letter)", "")
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw .usage("-\(letter) needs a value.")
            }
            try apply(option, "-\(letter)", value)
            letters = ""
        }
    }

    private func unknown(_ name: some StringProtocol) -> TransferFailure {
        .usage("Longhaul does not know the option \(String(name)) of \(program.rawValue).")
    }

    private static func own(_ long: some StringProtocol) -> Option? {
        [Command.download, .upload, .request].lazy.flatMap(\.options).first { $0.long == long }
    }

    private mutating func apply(
        _ option: ForeignOption, _ name: String, _ value: String
    ) throws(TransferFailure) {
        if value.hasPrefix("-"), value.count > 1, !Habit.isSuffix(value) { isPlausible = false }
        func filled(_ words: [String]) -> [String] { words.map { $0.replacing("VALUE", with: value) } }
        switch option.meaning {
        case .nothing: break
        case .option(let long):
            options.append((long, option.takesValue ? Self.value(value, of: long, program) : nil))
        case .part(let part): try apply(part, value)
        case .nearest(let words, let sentence):
            // A number is not a `--write-out` format of curl, nor a file that it uploads.
            if value.allSatisfy(\.isNumber), program == .curl, !value.isEmpty { isPlausible = false }
            note = note ?? name + ": " + sentence()
            if let first = words.first {
                let words = filled(words)
                options.append((String(first.dropFirst(2)), words.count > 1 ? words[1] : nil))
            }
        case .command(let words, let sentence):
            note = note ?? name + ": " + sentence()
            other = filled(words)
        }
    }

    /// wget and aria2 try without end if the number is 0.
    static func value(_ value: String, of long: String, _ program: ForeignProgram) -> String {
        long == "retry" && program != .curl && ["0", "inf"].contains(value) ? "1000000" : value
    }

    private mutating func apply(_ part: ForeignOption.Part, _ value: String) throws(TransferFailure) {
        switch part {
        case .method: method = value
        case .head: method = "HEAD"
        case .query: goesIntoQuery = true
        case .body where value.hasPrefix("@"), .json where value.hasPrefix("@"):
            try takeFile(value == "@-" ? "-" : value)
            isJSON = isJSON || part == .json
        case .bodyFile: try takeFile("@" + value)
        case .json:
            isJSON = true
            try takeText(value)
        case .body, .rawBody: try takeText(value)
        case .encodedBody: try takeText(Self.encoded(value))
        case .form: forms.append(("form", value))
        case .formText: forms.append(("form-string", value))
        case .file:
            if !value.isEmpty, value.allSatisfy(\.isNumber) { isPlausible = false }
            files.append(value)
        case .url: urls.append(value)
        case .user: login.user = value
        case .password: login.password = value
        case .compressed: acceptsCompression = true
        }
    }

    private mutating func takeText(_ text: String) throws(TransferFailure) {
        if text.hasPrefix("@") || text == "-" {
            throw .usage("Longhaul reads --data \(text) from a file; write the data to a file first: --data @FILE")
        }
        switch body {
        case nil: body = .text([text])
        case .text(let texts)?: body = .text(texts + [text])
        case .file?: throw Self.mixed
        }
    }

    private mutating func takeFile(_ file: String) throws(TransferFailure) {
        guard body == nil else { throw Self.mixed }
        body = .file(file)
    }

    private static var mixed: TransferFailure {
        .usage("Longhaul sends one text or one file as the data; write all of it to one file: --data @FILE")
    }

    /// `name=content` and `content`, in the format of `--data-urlencode`.
    private static func encoded(_ text: String) throws(TransferFailure) -> String {
        guard let mark = text.firstIndex(where: { "=@".contains($0) }) else { return PercentCoding.segment(text) }
        guard text[mark] == "=" else {
            throw .usage("Longhaul does not encode the data in a file; write the encoded data to it: --data @FILE")
        }
        let name = text[..<mark]
        return (name.isEmpty ? "" : name + "=") + PercentCoding.segment(String(text[text.index(after: mark)...]))
    }

    // MARK: Longhaul's words

    /// Returns the words after `longhaul`.
    func words() throws(TransferFailure) -> [String] {
        if let other { return other }
        var urls = urls
        var body = body
        if goesIntoQuery, case .text(let texts)? = body, let first = urls.first {
            urls[0] = first + (first.contains("?") ? "&" : "?") + texts.joined(separator: "&")
            body = nil
        }
        var all = options
        if acceptsCompression {
            all.removeAll { $0.long == "header" && $0.value?.lowercased().hasPrefix("accept-encoding:") == true }
        }
        if let user = login.user { all.append(("user", user + (login.password.map { ":" + $0 } ?? ""))) }
        if !forms.isEmpty || !files.isEmpty {
            if let method { all.insert(("method", method), at: 0) }
            return try Self.line(.upload, forms.isEmpty ? files + urls : [], all, forms, forms.isEmpty ? [] : urls)
        }
        guard body != nil || method.map({ $0 != "GET" }) ?? false else {
            return try Self.line(.download, urls, all)
        }
        switch body {
        case .text(let texts)?:
            all.insert((isJSON ? "json-body" : "data", texts.joined(separator: isJSON ? "" : "&")), at: 0)
        case .file(let file)?: all.insert((isJSON ? "json-body" : "data", file), at: 0)
        case nil: break
        }
        return try Self.line(.request, [method ?? "POST"] + urls, all)
    }

    private static func line(
        _ command: Command, _ operands: [String], _ options: [(long: String, value: String?)],
        _ forms: [(long: String, value: String?)] = [], _ last: [String] = []
    ) throws(TransferFailure) -> [String] {
        var words = command.name == Command.download.name ? [] : [command.name]
        func append(_ given: [(long: String, value: String?)]) throws(TransferFailure) {
            for (long, value) in given {
                // Only downloads read braces and brackets in URLs.
                if long == "globoff", command.name != Command.download.name { continue }
                guard let option = command.options.first(where: { $0.long == long }) else {
                    throw .usage("longhaul \(command.name) has no option --\(long).")
                }
                let letter = ["data", "yes"].contains(long) ? nil : option.short
                words.append(letter.map { "-\($0)" } ?? "--\(long)")
                if let value { words.append(value) }
            }
        }
        try append(forms)
        words += operands
        try append(options)
        return words + last
    }
}

/// Host names at the beginning of words that have no scheme.
enum HostText {
    /// Returns whether the word starts with a possible host: a name with dots, `localhost`, or a name with a port.
    static func isHost(_ word: String) -> Bool {
        guard !word.contains("://"), let site = site(word), !word.hasPrefix(".") else { return false }
        let parts = site.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPort = parts.count == 2 && !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber)
        guard parts.count == 1 || hasPort else { return site.hasPrefix("[") && site.contains("]") }
        let name = parts[0]
        let isName = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) }
        guard isName, !hasPort, name != "localhost" else { return isName }
        // A file has no path after its name, and often a known ending.
        let isFile = site == word && MediaType.guess(fileName: word) != MediaType.guess(fileName: "")
        return name.dropFirst().dropLast().contains(".") && !isFile
    }

    /// The URL that is most likely meant. Programs under development rarely have a certificate.
    static func url(_ word: String) -> String {
        let site = site(word) ?? ""
        let isLocal = site.hasPrefix("localhost") || site.hasPrefix("127.") || site.hasPrefix("[::1]")
        return (isLocal ? "http://" : "https://") + word
    }

    private static func site(_ word: String) -> Substring? {
        let site = word.prefix { !"/?#".contains($0) }
        return site.isEmpty ? nil : site
    }
}

/// A command line as it is typed in a shell.
enum ShellText {
    /// Returns the command without passwords: `PASSWORD` stands for one in a URL, and Longhaul prompts for the others.
    static func line(_ words: [String]) -> String {
        var shown = ["longhaul"]
        for (index, word) in words.enumerated() {
            shown.append(quoted(withoutSecret(word, after: index > 0 ? words[index - 1] : "")))
        }
        return shown.joined(separator: " ")
    }

    private static func withoutSecret(_ word: String, after option: String) -> String {
        if ["-u", "-U", "--user", "--proxy-user"].contains(option)
            || ["--user=", "--proxy-user="].contains(where: word.hasPrefix)
        {
            return LoginText(word).name
        }
        if option == "--pass" { return "-" }
        guard ["-E", "--cert"].contains(option) else { return withoutPassword(word) }
        return word.isToken || LocalFiles.exists(word) ? word : LoginText(word).name
    }

    private static func withoutPassword(_ word: String) -> String {
        guard word.contains("://"), let url = try? TransferURL(parsing: word), let login = url.userInfo,
            let colon = login.firstIndex(of: ":")
        else { return word }
        return word.replacing(login + "@", with: login[...colon] + "PASSWORD@", maxReplacements: 1)
    }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./:@%+=,".utf8.contains(byte)
                }
            }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
