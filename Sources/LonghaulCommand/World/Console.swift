import LonghaulCore

/// The outputs of the command: results to standard output, messages for the user to standard error.
package struct Console: Sendable {
    /// The size of the terminal in characters.
    package struct Size: Equatable, Sendable {
        package var columns: Int
        package var rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    package var writeOutput: @Sendable ([UInt8]) -> Void
    package var writeError: @Sendable ([UInt8]) -> Void
    package var isOutputTerminal: Bool
    /// Whether standard output gets no paths of finished files, as after `longhaul curl`.
    var hidesPaths = false
    /// Whether a program that reads standard output gets the paths of finished files.
    var printsPaths: Bool { !isOutputTerminal && !hidesPaths }
    /// Whether standard error is a terminal on which lines can be drawn again.
    package var canRedraw: Bool
    package var usesColour: Bool
    package var size: @Sendable () -> Size

    package init(
        writeOutput: @escaping @Sendable ([UInt8]) -> Void, writeError: @escaping @Sendable ([UInt8]) -> Void,
        isOutputTerminal: Bool, canRedraw: Bool, usesColour: Bool, size: @escaping @Sendable () -> Size
    ) {
        self.writeOutput = writeOutput
        self.writeError = writeError
        self.isOutputTerminal = isOutputTerminal
        self.canRedraw = canRedraw
        self.usesColour = usesColour
        self.size = size
    }

    /// Prints one line of results unchanged.
    func print(_ line: String) {
        writeOutput(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    /// Prints sentences for the user as a result; a terminal gets them wrapped.
    ///
    /// - Parameter indent: The columns before continuation lines.
    func show(_ text: String, indent: Int = 2) {
        for line in wrapped(text, indent: indent, isTerminal: isOutputTerminal) { print(line) }
    }

    /// Prints a message for the user on standard error; a terminal gets it wrapped.
    func say(_ text: String) {
        for line in wrapped(text) { writeError(Array(line.utf8) + [UInt8(ascii: "\n")]) }
    }

    /// The lines of a message for standard error.
    func wrapped(_ text: String) -> [String] { wrapped(text, indent: 2, isTerminal: canRedraw) }

    private func wrapped(_ text: String, indent: Int, isTerminal: Bool) -> [String] {
        guard isTerminal else { return [text] }
        // The last column stays empty: some terminals start a new line after it.
        return Prose.wrapped(text, columns: max(20, size().columns - 1), indent: indent)
    }
}
