package import LonghaulCore
import LonghaulSystem

/// What was taken from a data budget, in a file that all processes of the user may count in.
///
/// Bytes are taken before they are moved, and the file is on the disk when `take` returns. A process that dies in between
/// has taken what it did not move: the budget is kept, and is smaller by one portion for each of its exchanges.
package struct BudgetLedger: Sendable {
    private let file: AtomicFile
    private let lock: String

    package init(path: String) {
        file = AtomicFile(path)
        lock = path + ".lock"
    }

    /// What is taken so far; nothing where the file cannot be read.
    package func usage(at now: WallTime, in zone: TimeZoneRules) -> BudgetUsage {
        var usage = (try? read()) ?? BudgetUsage()
        usage.turn(at: now, in: zone)
        return usage
    }

    /// Takes up to `wanted` bytes, fewer when fewer are left; 0 also when it cannot be written down.
    package func take(_ wanted: Int64, of budget: DataBudget, at now: WallTime, in zone: TimeZoneRules) -> Int64 {
        guard !budget.isUnlimited else { return wanted }
        return change(at: now, in: zone) { usage in
            let granted = min(wanted, usage.remaining(of: budget) ?? wanted)
            usage.count(granted)
            return granted
        } ?? 0
    }

    /// Counts bytes that nobody took before; a negative number gives back what was not moved. What cannot be given
    /// back stays taken.
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
        // Without the lock nothing can be counted.
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
