import LonghaulCore

/// The words after a command's name, sorted into options and operands.
package struct Arguments: Equatable, Sendable {
    private(set) var operands: [String] = []
    private var given: [Given] = []

    private struct Given: Equatable, Sendable {
        var option: Option
        var value: String
    }

    /// Reads `--long`, `--long value`, `--long=value`, `-s`, `-s value`, `-svalue`, clusters such as `-kq`, and `--`,
    /// after which everything is an operand. A single `-` is an operand, and so is a negative number.
    init(parsing words: some Sequence<String>, options: [Option]) throws(TransferFailure) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2), &rest, options)
            } else if word == "-nc", Habit.startsTransfers(options) {
                throw .usage("-nc means -n and -c here; --skip-existing name leaves a file that is there")
            } else if word.hasPrefix("-"), word != "-", Int(word) == nil {
                try takeCluster(word.dropFirst(), &rest, options)
            } else {
                operands.append(word)
            }
        }
    }

    func has(_ option: Option) -> Bool {
        given.contains { $0.option == option }
    }

    /// The last value given, as usual on a command line.
    func value(_ option: Option) -> String? {
        given.last { $0.option == option }?.value
    }

    /// Takes a value in the place of those that were given.
    mutating func replace(_ option: Option, with value: String) {
        given.removeAll { $0.option == option }
        given.append(Given(option: option, value: value))
    }

    func values(_ option: Option) -> [String] {
        given.filter { $0.option == option }.map(\.value)
    }

    /// The values of several options, in the order in which they were given.
    func values(_ options: [Option]) -> [(option: Option, value: String)] {
        given.filter { options.contains($0.option) }.map { ($0.option, $0.value) }
    }

    func integer(_ option: Option, _ range: ClosedRange<Int>) throws(TransferFailure) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let upTo = range.upperBound == .max ? "" : " up to \(range.upperBound)"
            throw .usage("--\(option.long) takes a whole number from \(range.lowerBound)\(upTo), not \"\(text)\"")
        }
        return number
    }

    func span(_ option: Option, allowsZero: Bool = false) throws(TransferFailure) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let span = TimeText.span(text), span > .zero || allowsZero else {
            throw .usage("--\(option.long) takes seconds or a time such as 10m, 2h or 7d, not \"\(text)\"")
        }
        return span
    }

    private mutating func takeLong(
        _ text: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(TransferFailure) {
        let name = text.prefix { $0 != "=" }
        guard let option = options.first(where: { $0.long == name }) ?? Habit.alias(name, options) else {
            if Habit.isHarmless(name, options) { return }
            throw .usage(tr("there is no option --\(name)") + Suggestion.text(for: name, among: options))
        }
        let attached = name.endIndex < text.endIndex ? text[text.index(after: name.endIndex)...] : nil
        guard option.value != nil else {
            // As aria2 writes it.
            let isWord = name != option.long || option == .goOn
            if attached == "false", isWord { return }
            guard attached == nil || attached == "true" && isWord || option == .goOn else {
                throw .usage("--\(name) takes no value")
            }
            return given.append(Given(option: option, value: attached == "true" ? "" : String(attached ?? "")))
        }
        guard let value = attached.map(String.init) ?? rest.popFirst() else {
            throw .usage("--\(name) needs a value")
        }
        try add(option, value)
    }

    private mutating func add(_ option: Option, _ value: String) throws(TransferFailure) {
        guard !option.isGivenOnce || !has(option) else { throw .usage("--\(option.long) is given twice") }
        given.append(Given(option: option, value: value))
    }

    private mutating func takeCluster(
        _ letters: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(TransferFailure) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.short == letter }) else {
                if Habit.isHarmless(letter, options) { continue }
                throw .usage(tr("there is no option -\(letter)") + Suggestion.text(for: letter))
            }
            guard option.value != nil else {
                given.append(Given(option: option, value: ""))
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw .usage("-\(letter) needs a value")
            }
            try add(option, value)
            letters = ""
        }
    }
}

extension TransferFailure {
    /// The failure of a command line that cannot be run as it was typed.
    static func usage(_ message: Message) -> TransferFailure { usage(tr(message)) }

    /// The same for a sentence that is already in the user's language.
    @_disfavoredOverload
    static func usage(_ sentence: String) -> TransferFailure { TransferFailure(.invalidArgument, sentence) }
}
