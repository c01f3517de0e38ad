import Foundation

/// The table of a run, as Markdown.
enum Table {
    /// Returns the table. A case without rows failed, or cannot run on this machine.
    static func markdown(_ results: [(name: String, rows: [Row])], commit: String?, machine: String) -> String {
        var lines = commit.map { ["Commit: \($0)", ""] } ?? []
        lines += [
            machine, "",
            "The programs of a case alternate. Each value is the median of its runs, and the spread is from the lowest to the highest.",
            "",
            "| `--case` | title | measure | runs | Longhaul | peer | value | spread | goal |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for result in results {
            if result.rows.isEmpty { lines.append("| \(result.name) | not measured in this run | | | | | | | |") }
            lines += result.rows.map { line(result.name, $0) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ name: String, _ row: Row) -> String {
        let goal: String =
            switch row.goal {
            case .atLeast(let limit): "≥ \(limit.short)\(row.unit == "×" ? "×" : " " + row.unit)"
            case .atMost(let limit): "≤ \(limit.short)\(row.unit == "×" ? "×" : " " + row.unit)"
            case nil: ""
            }
        let verdict = row.goal.map { $0.holds(row.value.median) ? " ✓" : " missed" } ?? ""
        let unit = row.unit == "×" ? "×" : " " + row.unit
        return "| \(name) | \(row.benchCase) | \(row.measure) | \(row.value.count) | \(row.ours) | \(row.peer) "
            + "| **\(row.value.median.short)\(unit)** | \(row.value.low.short)–\(row.value.high.short) | \(goal)\(verdict) |"
    }
}
