import LonghaulCore

/// The words after a command's name, sorted into options and operands.
package struct Arguments: Equatable, Sendable {
    private(set) var operands: [String] = []
    /// The words as they were typed, for hints.
    private(set) var typed: [String] = []
    /// Options of other programs for which Longhaul has no equivalent.
    private(set) var lacking: [String] = []
    private var given: [Given] = []

    private struct Given: Equatable, Sendable {
        var option: Option
        var value: String
    }

    /// Reads `--long`, `--long value`, `--long=value`, `-s`, `-s value`, `-svalue`, clusters such as `-kq`, and `--`,
    /// after which everything is an operand. A single `-` is an operand, and so is a negative number.
    ///
    /// - Parameter preferred: Words that count before those that were typed.
    init(
        parsing words: some Sequence<String>, after preferred: [String] = [], options: [Option]
    ) throws(TransferFailure) {
        typed = Array(words)
        var rest = (preferred + typed)[...]
        let startsTransfers = Habit.startsTransfers(options)
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word, &rest, options)
            } else if startsTransfers, ["-nc", "-4", "-6"].contains(word) {
                throw Habit.unknown(word, typed, options)
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

    /// Replaces the given values.
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
            let (low, high) = (range.lowerBound, range.upperBound)
            throw high == .max
                ? .usage("--\(option.long) must be a whole number from \(low) on, not \"\(text)\".")
                : .usage("--\(option.long) must be a whole number from \(low) to \(high), not \"\(text)\".")
        }
        return number
    }

    func span(_ option: Option, allowsZero: Bool = false) throws(TransferFailure) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let span = TimeText.span(text), span > .zero || allowsZero else {
            throw .usage("--\(option.long) must be seconds or a time such as 10m, 1h30m, or 7d, not \"\(text)\".")
        }
        return span
    }

    private mutating func takeLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(TransferFailure) {
        let name = word.prefix { $0 != "=" }
        let attached = name.endIndex < word.endIndex ? String(word[word.index(after: name.endIndex)...]) : nil
        let own = options.first { $0.long == name.dropFirst(2) }
        let habit = own == nil ? Habit.reading(word, options) : nil
        guard let option = own ?? habit?.same else {
            guard let habit else { throw Habit.unknown(String(name), typed, options) }
            if habit.foreign?.takesValue == true, attached == nil { _ = rest.popFirst() }
            if case .lacking? = habit.foreign?.meaning { lacking.append(String(name)) }
            return
        }
        guard option.value != nil else {
            // aria2 gives flags a value.
            let isExact = habit?.foreign?.names.contains(Substring(word)) ?? false
            if attached == "false", !isExact { return }
            guard attached == nil || attached == "true" || isExact || option == .goOn else {
                throw .usage("\(String(name)) takes no value.")
            }
            let file = option == .goOn && attached != "true" ? attached : nil
            return given.append(Given(option: option, value: file ?? ""))
        }
        if let bare = option.bare, attached == nil {
            // The next word may be a URL or another option.
            let isChoice = rest.first.map { !$0.isEmpty && $0.allSatisfy(\.isLetter) } ?? false
            return try add(option, isChoice ? rest.removeFirst() : bare)
        }
        guard let value = attached ?? rest.popFirst() else { throw .usage("\(String(name)) needs a value.") }
        try add(option, habit == nil ? value : ForeignCommand.value(value, of: option.long, .wget))
    }

    private mutating func add(_ option: Option, _ value: String) throws(TransferFailure) {
        guard !option.isGivenOnce || !has(option) else {
            if ["data", "output"].contains(option.long), let hint = Habit.hint(typed, [.curl]) { throw hint }
            throw .usage("--\(option.long) is given twice.")
        }
        given.append(Given(option: option, value: value))
    }

    private mutating func takeCluster(
        _ letters: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(TransferFailure) {
        var letters = letters
        while let letter = letters.popFirst() {
            if takeConnections(letter, letters, &rest, options) { return }
            guard let option = options.first(where: { $0.short == letter }) else {
                guard let habit = Habit.reading("-\(letter)", options) else {
                    throw Habit.unknown("-\(letter)", typed, options)
                }
                if let same = habit.same { given.append(Given(option: same, value: "")) }
                if case .lacking? = habit.foreign?.meaning { lacking.append("-\(letter)") }
                continue
            }
            guard option.value != nil else {
                given.append(Given(option: option, value: ""))
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw .usage("-\(letter) needs a value.")
            }
            try add(option, value)
            letters = ""
        }
    }

    /// aria2's `-x16`, `-s 16`, and `-k1M`: no proxy is a number, and neither `-s` nor `-k` takes a value with curl.
    private mutating func takeConnections(
        _ letter: Character, _ letters: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) -> Bool {
        guard options.contains(.split), "xsk".contains(letter) else { return false }
        if letter == "k" { return letters.first?.isNumber ?? false }
        let value = letters.isEmpty ? rest.first ?? "" : String(letters)
        guard !value.isEmpty, value.allSatisfy(\.isNumber) else { return false }
        if letters.isEmpty { rest.removeFirst() }
        given.append(Given(option: .split, value: value))
        return true
    }
}

extension TransferFailure {
    /// The failure of a command line that cannot be run as it was typed.
    static func usage(_ message: Message) -> TransferFailure { usage(tr(message)) }

    /// The same for a sentence that is already in the user's language.
    @_disfavoredOverload
    static func usage(_ sentence: String) -> TransferFailure { TransferFailure(.invalidArgument, sentence) }
}
