import CSQLite
import LonghaulCore

/// The schema of a store and its migrations. `docs/internals/store-format.md` explains every table, index, and setting.
enum Schema {
    /// Migrations, in order: appended, never edited. A store's `user_version` counts those applied.
    static let migrations = [firstVersion, events, tasks, eventDetails, standings]

    /// "LHUL", so that `file` and this program can distinguish a store from another SQLite file.
    static let applicationID: Int64 = 0x4C48_554C

    private static let firstVersion = """
        create table transfer (
            sequence integer primary key autoincrement,
            id blob not null unique,
            key text,
            "group" text not null,
            host text not null,
            priority integer not null,
            stateCode integer not null,
            isEnded integer not null,
            until integer,
            deadline integer not null,
            hasCleanup integer not null,
            state blob not null,
            facts blob not null
        ) strict;
        create unique index transferKey on transfer (key) where key is not null;
        create index transferOrder on transfer (isEnded, sequence, stateCode);
        create index transferGroup on transfer ("group", sequence) where "group" <> '';
        create index transferCleanup on transfer (sequence) where hasCleanup = 1;

        create table spec (
            sequence integer primary key,
            spec blob not null
        ) strict;

        create table history (
            sequence integer not null,
            number integer not null,
            at integer not null,
            event text not null,
            detail text not null,
            bytesDone integer not null,
            primary key (sequence, number)
        ) strict, without rowid;

        create table meta (
            name text primary key,
            value any not null
        ) strict, without rowid;

        pragma application_id = 1279808844;
        """

    /// Unacknowledged events.
    private static let events = """
        create table event (
            number integer primary key autoincrement,
            at integer not null,
            kind integer not null,
            wakes integer not null,
            transfer blob
        ) strict;
        create index eventTransfer on event (transfer) where transfer is not null;
        create index eventOfSession on event (kind) where transfer is null;
        create index eventWake on event (number) where wakes = 1;
        """

    /// Background tasks.
    private static let tasks = """
        create table task (
            identifier text primary key,
            endedAt integer,
            record blob not null
        ) strict, without rowid;
        create index taskEnd on task (endedAt) where endedAt is not null;
        """

    /// The details of an event beyond its kind.
    private static let eventDetails = """
        alter table event add column detail blob;
        """

    /// How transfers take part in the queue.
    private static let standings = """
        alter table transfer add column standing integer not null default 0;
        """

    /// Migrates a file that was just opened to the current schema, or refuses it.
    static func prepare(_ connection: Connection, isNew: Bool) throws(TransferFailure) {
        let version = Int(try connection.number("pragma user_version") ?? 0)
        let things = try connection.number("select count(*) from sqlite_schema")
        let application = try connection.number("pragma application_id")
        guard application == applicationID || isNew && version == 0 && things == 0 else {
            throw storeDamage("it is not a store of Longhaul")
        }
        guard version >= 0 else { throw storeDamage("the number of its format is negative") }
        guard version <= migrations.count else {
            // A number that does not match the tables is damage, not a newer format.
            if try isPresent(connection) { throw storeDamage("its format's number does not fit its tables") }
            throw TransferFailure(
                .storeFailed,
                "The session's store was written by a newer version of Longhaul (format \(version); this version supports "
                    + "formats up to \(migrations.count)). Use that version or a later one.")
        }
        try configure(connection)
        for (index, migration) in migrations.enumerated().dropFirst(version) {
            do throws(TransferFailure) {
                try connection.execute("begin immediate; \(migration) pragma user_version = \(index + 1); commit")
            } catch {
                if connection.isInTransaction { try connection.execute("rollback") }
                // The statements are correct, so the schema does not match the format's number.
                throw error.origin == .sqlite(Int(SQLITE_ERROR))
                    ? storeDamage("its tables are of another format") : error
            }
        }
        guard try connection.number(columns) == columnCount else { throw storeDamage("a table or a column is missing") }
    }

    /// Whether the schema is exactly that of the last known migration.
    private static func isPresent(_ connection: Connection) throws(TransferFailure) -> Bool {
        let fresh = try Connection(path: ":memory:")
        for migration in migrations { try fresh.execute(migration) }
        let shape = "select group_concat(sql) from (select sql from sqlite_schema order by name)"
        return try connection.text(shape) == fresh.text(shape)
    }

    private static let columns = """
        select count(*) from sqlite_schema s join pragma_table_info(s.name)
        where s.name in ('transfer', 'spec', 'history', 'meta', 'event', 'task')
        """
    private static let columnCount: Int64 = 33

    /// Settings of the connection, and the journal mode, which is stored in the file. Only Darwin has a full fsync:
    /// without it, a commit stays in the drive's memory.
    static func configure(_ connection: Connection) throws(TransferFailure) {
        guard try connection.text("pragma journal_mode = wal") == "wal" else {
            throw TransferFailure(
                .storeFailed,
                "The file system of the session is not safe for its store: it does not support the shared memory of SQLite. "
                    + "Move the state directory to a local disk.")
        }
        try connection.execute(
            """
            pragma synchronous = full;
            pragma fullfsync = on;
            pragma checkpoint_fullfsync = on;
            pragma wal_autocheckpoint = 4000;
            pragma journal_size_limit = 33554432;
            pragma cache_size = -8192;
            pragma temp_store = memory;
            pragma cell_size_check = on;
            pragma trusted_schema = off;
            pragma secure_delete = on;
            """)
    }
}
