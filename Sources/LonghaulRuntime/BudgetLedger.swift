package import LonghaulCore
import LonghaulStore
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

    /// Returns the bytes taken so far; the whole budget if the file cannot be read, so that nothing more is taken.
    package func usage(
        of budget: DataBudget = DataBudget(), at now: WallTime, in zone: TimeZoneRules
    ) -> BudgetUsage {
        var usage = BudgetUsage()
        do throws(TransferFailure) {
            usage = try read() ?? usage
            usage.turn(at: now, in: zone)
        } catch {
            usage.turn(at: now, in: zone)
            (usage.bytesOfDay, usage.bytesOfMonth) = (budget.bytesPerDay ?? 0, budget.bytesPerMonth ?? 0)
        }
        return usage
    }

    /// The damage of the file, which is never repaired: the number of used bytes is lost. `nil` if there is none.
    package var damage: TransferFailure? {
        do throws(TransferFailure) {
            _ = try read()
            return nil
        } catch {
            return error.code == .storeDamaged ? error : nil
        }
    }

    /// Quarantines a damaged file, so that the count starts at zero.
    package func acknowledgeDamage(at now: WallTime) throws(TransferFailure) {
        guard let turn = exclusiveTurn() else { return }
        defer { turn.unlock() }
        if damage != nil { _ = try Store.setAside(path: file.path, now: now) }
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
        guard let turn = exclusiveTurn() else { return nil }
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

    /// Returns the locked lock file; `nil` if it cannot be locked. Without the lock, nothing can be counted.
    private func exclusiveTurn() -> Descriptor? {
        guard let turn = try? Descriptor(opening: lock, [.both, .making, .noLink]), (try? turn.lock()) != nil else {
            return nil
        }
        return turn
    }

    private func read() throws(TransferFailure) -> BudgetUsage? {
        guard let bytes = try file.read() else { return nil }
        // A file cut between two fields can be decoded. The month is in every file, and has at least the bytes of its day.
        guard let usage = try? BudgetUsage.decoded(wireBytes: bytes), usage.month != 0,
            usage.bytesOfMonth >= usage.bytesOfDay
        else {
            throw TransferFailure(
                .storeDamaged,
                "\(file.path), the count of used data, is damaged. Until you acknowledge the damage, transfers with a data "
                    + "budget do not use metered networks.")
        }
        return usage
    }
}
