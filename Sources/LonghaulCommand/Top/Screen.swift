import LonghaulCore

/// The content of a terminal, as a value: tests read it, and only changes are drawn.
struct Screen: Equatable, Sendable {
    enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case reversed = "7"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"

        var isColour: Bool {
            switch self {
            case .plain, .bold, .reversed: false
            case .red, .green, .yellow, .cyan: true
            }
        }
    }

    /// A cell of the screen. The second half of a wide character has no text.
    private struct Cell: Equatable, Sendable {
        var text: Character? = " "
        var style = Style.plain
    }

    let size: Console.Size
    private var cells: [Cell]

    init(_ size: Console.Size) {
        self.size = size
        cells = Array(repeating: Cell(), count: max(0, size.columns) * max(0, size.rows))
    }

    /// Puts text on a line, and cuts it at the end of the line.
    mutating func put(_ text: String, row: Int, column: Int = 0, _ style: Style = .plain) {
        guard (0..<size.rows).contains(row), column >= 0 else { return }
        var column = column
        for character in text {
            let width = DisplayText.width(String(character))
            guard column + width <= size.columns else { return }
            // A combining mark without a base character has no cell.
            guard width > 0 else { continue }
            let place = row * size.columns + column
            cells[place] = Cell(text: character, style: style)
            if width == 2 { cells[place + 1] = Cell(text: nil, style: style) }
            column += width
        }
    }

    /// Puts a whole line in one style.
    mutating func line(_ text: String, row: Int, _ style: Style = .plain) {
        put(DisplayText.fit(text, size.columns), row: row, style)
    }

    /// The lines without their styles.
    var lines: [String] {
        (0..<size.rows).map { row in
            var text = String(cells(in: row).compactMap(\.text))
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    func style(row: Int, column: Int) -> Style { cells[row * size.columns + column].style }

    private func cells(in row: Int) -> ArraySlice<Cell> {
        cells[row * size.columns..<(row + 1) * size.columns]
    }

    /// The longest run of unchanged cells between two changes for which redrawing costs less than moving the cursor.
    private static let smallGap = 6

    /// Returns the bytes that turn the earlier screen into this one. Draws everything if there was none, or if its size was different.
    func drawing(over earlier: Screen?, usesColour: Bool) -> [UInt8] {
        let known = earlier.flatMap { $0.size == size ? $0 : nil }
        var output = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        let blank = Cell()
        for row in 0..<size.rows {
            let first = row * size.columns
            var column = 0
            while column < size.columns {
                guard cells[first + column] != known?.cells[first + column] ?? blank else {
                    column += 1
                    continue
                }
                let end = endOfRun(row, column) { cells[$0] != known?.cells[$0] ?? blank }
                // The first half of a wide character is drawn with the second.
                var start = column
                if start > 0, cells[first + start].text == nil { start -= 1 }
                output += "\u{1B}[\(row + 1);\(start + 1)H"
                draw(cells[first + start..<first + end], usesColour, into: &output)
                column = end
            }
        }
        return Array(output.utf8)
    }

    private func endOfRun(_ row: Int, _ column: Int, differs: (Int) -> Bool) -> Int {
        let first = row * size.columns
        var end = column + 1
        var next = end
        while next < size.columns, next - end <= Self.smallGap {
            if differs(first + next) { end = next + 1 }
            next += 1
        }
        while end < size.columns, cells[first + end].text == nil { end += 1 }
        return end
    }

    private func draw(_ run: ArraySlice<Cell>, _ usesColour: Bool, into output: inout String) {
        var style = Style.plain
        for cell in run {
            let wanted = cell.style.isColour && !usesColour ? .plain : cell.style
            if wanted != style {
                output += wanted == .plain ? "\u{1B}[0m" : "\u{1B}[0;\(wanted.rawValue)m"
                style = wanted
            }
            if let text = cell.text { output.append(text) }
        }
        if style != .plain { output += "\u{1B}[0m" }
    }
}
