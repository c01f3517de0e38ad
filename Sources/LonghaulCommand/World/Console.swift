/// Where the command writes. Results go to standard output; everything said to a person goes to standard error.
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

    /// One line of results.
    func print(_ line: String) {
        writeOutput(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    /// One line for the person.
    func say(_ line: String) {
        writeError(Array(line.utf8) + [UInt8(ascii: "\n")])
    }
}
