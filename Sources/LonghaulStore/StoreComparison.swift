import LonghaulCore

/// Comparisons of tables and indexes at the opening. SQLite believes any page of the right kind: if a foreign page replaces the root of
/// an index, its rows are missing from lists.
///
/// Their cost must not grow with the rows of a transfer: they read the ends of the tables, and the smallest index completely.
struct StoreComparison {
    let connection: Connection
    let counters: Store.Counters

    /// The rows that are searched in every index. A session rarely has a longer run of transfers without a key or a group.
    private static let sampleSize = 32

    func run() throws(TransferFailure) {
        let ends = try connection.statement(Self.ends)
        defer { ends.reset() }
        _ = try ends.step()
        // Transfer, spec, and the order, with null in each for an empty store.
        let (first, last) = (0..<3).reduce(into: ([Int64?](), [Int64?]())) { found, column in
            let column = Int32(column) * 2
            found.0.append(ends.isNull(column) ? nil : ends.number(column))
            found.1.append(ends.isNull(column + 1) ? nil : ends.number(column + 1))
        }
        guard Set(first).count == 1, Set(last).count == 1 else {
            throw storeDamage("its tables do not begin and end with the same transfer")
        }
        if counters.historyNumber == 0, try connection.number("select 1 from history limit 1") != nil {
            throw storeDamage("its settings are missing")
        }
        guard last[0] != nil else { return }
        guard try connection.number(Self.identifiers) == Int64(counters.totals.total) else {
            throw storeDamage("an index and the order of transfers differ")
        }
        guard try connection.number(Self.strays) == 0 else { throw storeDamage("a table and an index differ") }
    }

    private static let ends = """
        select (select min(sequence) from transfer not indexed), (select max(sequence) from transfer not indexed),
        (select min(sequence) from spec), (select max(sequence) from spec),
        (select min(s) from (select min(sequence) as s from transfer indexed by transferOrder where isEnded = 0 union all
            select min(sequence) from transfer indexed by transferOrder where isEnded = 1)),
        (select max(s) from (select max(sequence) as s from transfer indexed by transferOrder where isEnded = 0 union all
            select max(sequence) from transfer indexed by transferOrder where isEnded = 1))
        """

    /// Only blobs are not less than an empty one. This condition costs a quarter of `typeof`, because it is not evaluated for each row.
    private static let identifiers =
        "select count(*) from transfer indexed by sqlite_autoindex_transfer_1 where id >= x''"

    /// The newest rows that an index or the table of specs lacks.
    private static let strays = """
        select count(*) from (select * from transfer not indexed order by sequence desc limit \(sampleSize)) t where
        not exists (select 1 from spec where sequence = t.sequence)
        or not exists (select 1 from transfer indexed by sqlite_autoindex_transfer_1 where id = t.id and sequence = t.sequence)
        or not exists (select 1 from transfer indexed by transferOrder
            where isEnded = t.isEnded and sequence = t.sequence and stateCode = t.stateCode)
        or t.key is not null and not exists (select 1 from transfer indexed by transferKey
            where key = t.key and sequence = t.sequence)
        or t."group" <> '' and not exists (select 1 from transfer indexed by transferGroup
            where "group" = t."group" and sequence = t.sequence and "group" <> '')
        or t.hasCleanup = 1 and not exists (select 1 from transfer indexed by transferCleanup
            where hasCleanup = 1 and sequence = t.sequence)
        """
}

extension SessionTotals {
    fileprivate var total: Int { waiting + running + paused + succeeded + failed + cancelled }
}
