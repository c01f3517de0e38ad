import Foundation

/// The table of a run, as Markdown.
enum Table {
    static func markdown(_ rows: [Row], machine: [String]) -> String {
        var lines = machine + [""]
        lines += [
            "| case | measure | runs | Longhaul | peer | value | spread | goal |", "|---|---|---|---|---|---|---|---|",
        ]
        for row in rows {
            let goal: String =
                switch row.goal {
                case .atLeast(let limit): "≥ \(limit.short)\(row.unit == "×" ? "×" : " " + row.unit)"
                case .atMost(let limit): "≤ \(limit.short)\(row.unit == "×" ? "×" : " " + row.unit)"
                case nil: ""
                }
            let verdict = row.goal.map { $0.holds(row.value.median) ? " ✓" : " missed" } ?? ""
            let unit = row.unit == "×" ? "×" : " " + row.unit
            lines.append(
                "| \(row.benchCase) | \(row.measure) | \(row.value.count) | \(row.ours) | \(row.peer) | **\(row.value.median.short)\(unit)** "
                    + "| \(row.value.low.short)–\(row.value.high.short) | \(goal)\(verdict) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
