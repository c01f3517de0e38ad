import LonghaulCore

/// A command line of curl, wget, or aria2, read as that program reads it, and the same in Longhaul's words.
struct ForeignCommand {
    private enum Body {
        case text([String])
        case file(String)
    }

    /// How Longhaul differs from the program.
    private struct Differences {
        /// Commands for all transfers.
        var commands: [[String]] = []
        /// Options for which Longhaul has no equivalent.
        var lacking: [String] = []
        /// Sentences about a line that is run.
        var notices: [String] = []
        /// Why the line is not run.
        var notes: [String] = []
        /// Whether another command does what was meant.
        var isPossible = true
    }

    private let program: ForeignProgram
    /// Whether the line begins with the program's name, so that its habits count.
    private let isNamed: Bool
    private var habits: Set<ForeignOption.Habit> = []
    /// Options by their long names here, with their values.
    private var options: [(long: String, value: String?)] = []
    private var urls: [String] = []
    private var files: [String] = []
    private var forms: [(long: String, value: String?)] = []
    private var body: (content: Body?, isJSON: Bool, isQuery: Bool) = (nil, false, false)
    private var method: String?
    private var login: (user: String?, password: String?)
    private var directories: (areWanted: Bool, omitted: Int) = (false, 0)
    private var differences = Differences()
    /// Whether the words make sense as this program's. One letter can mean different things to several programs.
    private(set) var isPlausible = true

    init(
        _ typed: some Sequence<String>, of program: ForeignProgram, isNamed: Bool = false
    ) throws(TransferFailure) {
        self.program = program
        self.isNamed = isNamed
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
        if !urls.allSatisfy(Self.isURL) || !isComplete && differences.commands.isEmpty { isPlausible = false }
        if outputs.count > 1 { differences.notes.append(tr("-o: Longhaul needs one command for each file.")) }
        if habits.contains(.replacesNothing), has("output") {
            if isNamed {
                add(
                    note: "--no-clobber: "
                        + tr("Longhaul leaves an existing file alone with --skip-existing name."))
            }
            options.append(("skip-existing", "name"))
        }
        if program != .aria2c { urls = urls.map { $0.contains("://") || !HostText.isHost($0) ? $0 : "http://" + $0 } }
    }

    /// Options of the line without effect, although it is run.
    var notice: String? {
        let all = differences.notices + Self.notice(lacking: differences.lacking)
        return all.isEmpty || has("quiet") || habits.contains(.silent) ? nil : all.joined(separator: " ")
    }

    static func notice(lacking options: [String]) -> [String] {
        options.isEmpty ? [] : [tr("Longhaul has no equivalent of \(options.joined(separator: ", ")).")]
    }

    /// Why Longhaul's words do not do quite the same.
    var note: String? {
        differences.notes.isEmpty
            ? nil : (differences.notes + Self.notice(lacking: differences.lacking)).joined(separator: " ")
    }

    /// Returns the note and the command to type.
    func advice(_ note: String) throws(TransferFailure) -> String {
        guard differences.isPossible, isPlausible else { return note }
        let line = try line()
        return note + " " + tr("Type: \(line)")
    }

    private func has(_ long: String) -> Bool { options.contains { $0.long == long } }

    private var outputs: [String] { options.filter { $0.long == "output" }.compactMap(\.value) }

    /// Whether there is something to transfer.
    private var isComplete: Bool { !urls.isEmpty || has("input-file") || has("metalink") }

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
        case .lacking: differences.lacking.append(name)
        case .impossible(let sentence):
            differences.notes.append(name + ": " + sentence())
            differences.isPossible = false
        case .option(let long):
            options.append((long, option.takesValue ? Self.value(value, of: long, program) : nil))
        case .part(let part): try apply(part, value)
        case .habit(let habit): habits.insert(habit)
        // Longhaul never reads robots.txt.
        case .nearest where value == "robots=off": break
        case .same(let words, let sentence), .nearest(let words, let sentence):
            // A number is not a `--write-out` format of curl, nor a file that it uploads.
            if value.allSatisfy(\.isNumber), program == .curl, !value.isEmpty { isPlausible = false }
            if case .same = option.meaning, isNamed {} else { add(note: name + ": " + sentence()) }
            if let first = words.first {
                let words = filled(words)
                options.append((String(first.dropFirst(2)), words.count > 1 ? words[1] : nil))
            }
        case .command(let words, let isRequired, let sentence):
            guard isNamed, !isRequired else {
                add(note: name + ": " + sentence())
                differences.commands.append(filled(words))
                return
            }
            differences.notices.append(
                name + ": " + sentence() + " " + tr("To set the limit, type: \(ShellText.line(filled(words)))"))
        }
    }

    private mutating func add(note: String) {
        if !differences.notes.contains(note) { differences.notes.append(note) }
    }

    /// wget and aria2 count tries, not retries, and try without end if the number is 0.
    static func value(_ value: String, of long: String, _ program: ForeignProgram) -> String {
        guard long == "retry", program != .curl else { return value }
        return ["0", "inf"].contains(value) ? "1000000" : Int(value).map { String($0 - 1) } ?? value
    }

    private mutating func apply(_ part: ForeignOption.Part, _ value: String) throws(TransferFailure) {
        switch part {
        case .method: method = value
        case .head: method = "HEAD"
        case .query: body.isQuery = true
        case .body where value.hasPrefix("@"), .json where value.hasPrefix("@"):
            try takeFile(value == "@-" ? "-" : value)
            body.isJSON = body.isJSON || part == .json
        case .bodyFile: try takeFile("@" + value)
        case .json:
            body.isJSON = true
            try takeText(value)
        case .body, .rawBody: try takeText(value)
        case .encodedBody: try takeText(Self.encoded(value))
        case .form: forms.append(("form", value))
        case .formText: forms.append(("form-string", value))
        case .file:
            if !value.isEmpty, value.allSatisfy(\.isNumber) { isPlausible = false }
            files += try value == "." ? ["-"] : URLGlob.expand(value).map(\.url)
        case .url: urls.append(value)
        case .user: login.user = value
        case .password: login.password = value
        case .directories: directories.areWanted = true
        case .fewerDirectories: directories.omitted = Int(value) ?? 0
        }
    }

    private mutating func takeText(_ text: String) throws(TransferFailure) {
        if text.hasPrefix("@") || text == "-" {
            throw .usage("Longhaul reads --data \(text) from a file; write the data to a file first: --data @FILE")
        }
        switch body.content {
        case nil: body.content = .text([text])
        case .text(let texts)?: body.content = .text(texts + [text])
        case .file?: throw Self.mixed
        }
    }

    private mutating func takeFile(_ file: String) throws(TransferFailure) {
        guard body.content == nil else { throw Self.mixed }
        body.content = .file(file)
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

    /// Returns the command line to type, which may be several commands.
    func line() throws(TransferFailure) -> String {
        var lines = differences.commands.map(ShellText.line)
        if outputs.count > 1 {
            for (index, output) in outputs.enumerated() where urls.indices.contains(index) {
                var single = self
                single.options.removeAll { $0.long == "output" }
                single.options.append(("output", output))
                single.urls = [urls[index]]
                lines.append(ShellText.line(try single.words()))
            }
        } else if isComplete || differences.commands.isEmpty {
            lines.append(ShellText.line(try words()))
        }
        return lines.joined(separator: " && ")
    }

    /// Returns the words after `longhaul`.
    func words() throws(TransferFailure) -> [String] {
        var urls = urls
        var content = body.content
        if body.isQuery, case .text(let texts)? = content, let first = urls.first {
            urls[0] = first + (first.contains("?") ? "&" : "?") + texts.joined(separator: "&")
            content = nil
        }
        var all = options
        if program == .aria2c, let first = urls.first {
            all = all.map { $0.long == "referer" && $0.value == "*" ? ("referer", first) : $0 }
        }
        if habits.contains(.createsDirectories) { splitOutput(in: &all) }
        if habits.contains(.compressed) {
            all.removeAll { $0.long == "header" && $0.value?.lowercased().hasPrefix("accept-encoding:") == true }
        }
        if isNamed, habits.contains(.silent) { all.append(("quiet", nil)) }
        if let user = login.user { all.append(("user", user + (login.password.map { ":" + $0 } ?? ""))) }
        if !forms.isEmpty || !files.isEmpty {
            if let method { all.insert(("method", method), at: 0) }
            return try Self.line(.upload, forms.isEmpty ? files + urls : [], all, forms, forms.isEmpty ? [] : urls)
        }
        guard content != nil || method.map({ $0 != "GET" }) ?? false else {
            if directories.areWanted { try appendDirectories(to: &all) }
            if isNamed { appendHabits(to: &all, &urls) }
            return try Self.line(.download, urls, all)
        }
        // wget saves the response.
        if isNamed, program == .wget, method != "HEAD", !has("output"), let url = urls.first {
            all.append(("output", SafeFileName.make(from: nil, url: url)))
        }
        let option = body.isJSON ? "json-body" : "data"
        switch content {
        case .text(let texts)?: all.insert((option, texts.joined(separator: body.isJSON ? "" : "&")), at: 0)
        case .file(let file)?: all.insert((option, file), at: 0)
        case nil: break
        }
        return try Self.line(.request, [method ?? "POST"] + urls, all)
    }

    /// Adds the defaults of the program: the destination of the file, and whether it replaces another one.
    private func appendHabits(to all: inout [(long: String, value: String?)], _ urls: inout [String]) {
        let keepsFile = has("continue") || has("continue-at") || has("skip-existing") || has("overwrite")
        switch program {
        case .curl where outputs.isEmpty && !habits.contains(.urlName): all.append(("output", "-"))
        case .curl:
            // The server must not choose which file is replaced.
            let isServers = outputs.isEmpty && habits.contains(.serverName)
            if outputs.isEmpty, !isServers { all.append(("url-name", nil)) }
            if isServers || habits.contains(.replacesNothing) { return }
            if !keepsFile, !outputs.contains(where: OutputPlace.isStandardOutput) { all.append(("overwrite", nil)) }
        case .wget:
            guard !keepsFile, let output = outputs.last, !OutputPlace.isStandardOutput(output) else { return }
            all.append(("overwrite", nil))
        case .aria2c:
            guard urls.count > 1, !habits.contains(.severalFiles), !urls.contains(where: MetalinkOrders.isMetalink)
            else { return }
            all += urls.dropFirst().map { ("mirror", $0) }
            urls = [urls[0]]
        }
    }

    /// curl's `--create-dirs`: only the directory of `-d` is created here.
    private func splitOutput(in all: inout [(long: String, value: String?)]) {
        guard let index = all.firstIndex(where: { $0.long == "output" }), let output = all[index].value,
            let slash = output.lastIndex(of: "/"), slash > output.startIndex
        else { return }
        all[index].value = String(output[output.index(after: slash)...])
        let path = String(output[..<slash])
        let base = all.last { $0.long == "directory" }?.value
        all.removeAll { $0.long == "directory" }
        all.append(("directory", output.hasPrefix("/") ? path : base.map { $0 + "/" + path } ?? path))
    }

    /// wget's `-x`: the host and the path of the URL are directories.
    private func appendDirectories(to all: inout [(long: String, value: String?)]) throws(TransferFailure) {
        guard urls.count == 1, !has("input-file") else {
            throw .usage("-x works with one URL only. To choose a directory, use -d.")
        }
        let url = try LocalCheck.url(urls[0])
        let path = url.decodedPath
        let parts = path.split(separator: "/").dropLast(path.hasSuffix("/") ? 0 : 1).filter {
            !["..", "."].contains($0)
        }
        var directory = options.last { $0.long == "directory" }.flatMap(\.value).map { [$0] } ?? []
        if !habits.contains(.noHostDirectory) { directory.append(url.host) }
        directory += parts.dropFirst(max(0, directories.omitted)).map(String.init)
        all.removeAll { $0.long == "directory" }
        if !directory.isEmpty { all.append(("directory", directory.joined(separator: "/"))) }
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
