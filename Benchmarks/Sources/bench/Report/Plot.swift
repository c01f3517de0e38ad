import Foundation

/// The ratios of speed as a picture: a bar for each peer, on a logarithmic scale around the peer's own speed.
enum Plot {
    static func svg(_ rows: [Row]) -> String? {
        let rows = rows.filter(\.isSpeed)
        guard !rows.isEmpty else { return nil }
        let (left, width, line) = (360.0, 420.0, 26.0)
        let height = Double(rows.count) * line + 70
        let highest = max(2, rows.map(\.value.high).max() ?? 2)
        let lowest = min(0.5, rows.map(\.value.low).min() ?? 0.5)
        let x = { (ratio: Double) in left + width * (log(max(ratio, lowest) / lowest) / log(highest / lowest)) }
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(left + width + 90)) \(Int(height))" \
            font-family="sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="12" y="24" font-size="15" fill="#222222">Longhaul's speed as a multiple of its peers': above 1× it is the faster one</text>
            """
        ]
        for tick in [0.25, 0.5, 1, 2, 4, 8, 16] where tick >= lowest && tick <= highest {
            parts.append(
                """
                <line x1="\(x(tick).short)" y1="38" x2="\(x(tick).short)" y2="\((height - 22).short)" \
                stroke="\(tick == 1 ? "#555555" : "#dddddd")"/>
                <text x="\(x(tick).short)" y="\((height - 6).short)" text-anchor="middle" fill="#555555">\(tick.short)×</text>
                """)
        }
        for (index, row) in rows.enumerated() {
            let y = 44 + Double(index) * line
            let (from, to) = (min(x(1), x(row.value.median)), max(x(1), x(row.value.median)))
            let color = row.value.median >= 1 ? "#2a7f62" : "#c0562f"
            let peer = row.peer.split(separator: ":").first.map(String.init) ?? ""
            parts.append(
                """
                <text x="12" y="\((y + 14).short)" fill="#222222">\(escape(row.benchCase)) / \(escape(peer))</text>
                <rect x="\(from.short)" y="\(y.short)" width="\((to - from).short)" height="17" fill="\(color)"/>
                <line x1="\(x(row.value.low).short)" y1="\((y + 8).short)" x2="\(x(row.value.high).short)" \
                y2="\((y + 8).short)" stroke="#222222"/>
                <text x="\((x(max(row.value.high, 1)) + 6).short)" y="\((y + 14).short)" fill="#222222">\
                \(row.value.median.short)×</text>
                """)
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }

    private static func escape(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
