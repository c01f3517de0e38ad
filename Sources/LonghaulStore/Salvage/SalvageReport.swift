package import LonghaulCore

/// The results for the transfers of a damaged store.
package struct SalvageReport: Equatable, Sendable {
    /// The known facts about a transfer that could not be read completely.
    package struct Mention: Equatable, Sendable {
        package var id: TransferID?
        package var key: String?
        package var group: String?
        /// The URL without possible secrets, or just the host.
        package var name: String?

        var line: String {
            let parts = [
                id.map(\.description) ?? "identifier unknown", key.map { "key \"\($0)\"" },
                group.flatMap { $0.isEmpty ? nil : "group \"\($0)\"" }, name,
            ]
            return parts.compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// The number of unchanged transfers.
    package var saved = 0
    /// Transfers with a known spec and unknown progress: they failed, so that the user or the app decides.
    package var unsure: [Mention] = []
    package var lost: [Mention] = []
    /// Settings of the session that were lost.
    package var settings: [String] = []
    /// Whether the newest changes are lost, and transfers with them that the report cannot name.
    package var losesNewest = false
    /// The damage.
    package var reason = ""

    package init() {}

    package var total: Int { saved + unsure.count + lost.count }

    /// Returns the report for the user. `place` is the path of the damaged store; the list of lost transfers is beside it.
    package func sentence(place: String) -> String {
        guard total > 0 else {
            return "The queue was damaged, and no transfer could be read from it. The damaged file was quarantined as "
                + "\(place), and a new queue was created; downloaded files are untouched."
        }
        guard saved < total || !settings.isEmpty || losesNewest else {
            return
                "The queue was damaged and was repaired: \(saved) of \(total) transfers recovered. The damaged file was "
                + "quarantined as \(place)."
        }
        var parts = ["\(saved) of \(total) transfers recovered"]
        if !unsure.isEmpty {
            parts.append("\(unsure.count) failed because their progress is lost (retry restarts them)")
        }
        if !lost.isEmpty { parts.append("\(lost.count) could not be read") }
        if !settings.isEmpty { parts.append("settings lost") }
        if losesNewest { parts.append("the newest changes are lost, and with them the transfers added last") }
        return "The queue was damaged: " + parts.joined(separator: ", ")
            + ". \(place + Store.reportMark) lists them; the "
            + "damaged file was quarantined as \(place)."
    }

    /// Returns the list that is stored beside the damaged store. Its first line is the sentence.
    func text(place: String) -> String {
        var lines = [sentence(place: place), "Damage: \(reason)."]
        if !unsure.isEmpty { lines += ["", "Failed; longhaul retry ID restarts one:"] + unsure.map(\.line) }
        if !lost.isEmpty { lines += ["", "Could not be read:"] + lost.map(\.line) }
        if !settings.isEmpty { lines += ["", "Settings that could not be read: " + settings.joined(separator: ", ")] }
        return lines.map(Self.printable).joined(separator: "\n") + "\n"
    }

    /// Replaces control characters, because a name from a damaged file may contain anything.
    private static func printable(_ line: String) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    }
}
