package import LonghaulCore
import LonghaulSystem

/// Bytes taken from a data budget, in a file that all processes of the user may update.
///
/// Bytes are taken before they are transferred, and the file is synced when `withdraw` returns. If a process dies in between, the bytes
/// that it did not transfer stay taken: the budget holds, but loses up to one portion for each of its exchanges.
package struct BudgetLedger: Sendable {
    private let file: AtomicFile
    private let lock: String

    package init(path: String) {
        file = AtomicFile(path)
        lock = path + ".lock"
    }

    /// Returns the bytes taken so far; none if the file cannot be read.
    package func usage(at now: WallTime, in zone: TimeZoneRules) -> BudgetUsage {
        var usage = (try? read()) ?? BudgetUsage()
        usage.turn(at: now, in: zone)
        return usage
    }

    /// Takes up to `wanted` bytes, as far as the budget has them; 0 if the file cannot be written.
    package func withdraw(_ wanted: Int64, of budget: DataBudget, at now: WallTime, in zone: TimeZoneRules) -> Int64 {
        guard !budget.isUnlimited else { return wanted }
        return change(at: now, in: zone) { usage in
            let granted = min(wanted, usage.remaining(of: budget) ?? wanted)
            usage.count(granted)
            return granted
        } ?? 0
    }

    /// Counts bytes that were not taken before; a negative number returns unused bytes. If the file cannot be written, they stay
    /// taken.
    package func count(_ bytes: Int64, at now: WallTime, in zone: TimeZoneRules) {
        guard bytes != 0 else { return }
        _ = change(at: now, in: zone) { usage in
            usage.count(bytes)
            return bytes
        }
    }

    private func change(
        at now: WallTime, in zone: TimeZoneRules, _ body: (inout BudgetUsage) -> Int64
    ) -> Int64? {
        // Without the lock, nothing can be counted.
        guard let turn = try? Descriptor(opening: lock, [.both, .making, .noLink]), (try? turn.lock()) != nil else {
            return nil
        }
        defer { turn.unlock() }
        do throws(TransferFailure) {
            var usage = try read() ?? BudgetUsage()
            let before = usage
            usage.turn(at: now, in: zone)
            let result = body(&usage)
            if usage != before { try file.write(usage.wireBytes) }
            return result
        } catch {
            return nil
        }
    }

    private func read() throws(TransferFailure) -> BudgetUsage? {
        guard let bytes = try file.read() else { return nil }
        do throws(WireError) {
            return try BudgetUsage(wireBytes: bytes)
        } catch {
            throw TransferFailure(
                .storeDamaged, "\(file.path) is damaged. Until you delete it, no transfer uses metered networks.")
        }
    }
}
