internal import SQLite

/// The steps that bring a file to the present schema, in their order; a step never changes once it has been released.
enum Migrations {
    /// The present schema's version: how many steps have been taken.
    static var latest: Int32 { Int32(scripts.count) }

    /// Takes the steps that the file has not taken yet, each with its number in a transaction of its own.
    /// - Precondition: the file's version is not newer than `latest`.
    static func run(on connection: Connection) throws(SQLiteError) {
        for step in Int(try connection.userVersion())..<scripts.count {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute(scripts[step])
                try connection.setUserVersion(Int32(step + 1))
            }
        }
    }

    // Version 1. What a delivery copies of its event (app_id, ticket_id, expires_at) saves a look at the event where the queue is worked.
    // `leads` is 1 where no earlier pending delivery of the notifier, app and ticket exists, so that claims that keep the order of tickets
    // find what they may take without passing what they may not. Comments come before tickets in the identity because their ids rise: new
    // ones meet on few pages, which halves what a commit writes. `state` is 0 pending, 1 delivered, 2 dead; it stands in
    // partial indexes too, since SQLite 3.40 otherwise goes to the table to see it.
    private static let scripts: [StaticString] = [
        """
        CREATE TABLE events (
            number INTEGER PRIMARY KEY,
            app_id TEXT NOT NULL,
            ticket_id INTEGER NOT NULL,
            comment_id INTEGER NOT NULL,
            device_id TEXT NOT NULL,
            id BLOB NOT NULL,
            kind TEXT NOT NULL,
            user_id TEXT NOT NULL,
            occurred_at INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            deliveries INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX events_identity ON events (app_id, comment_id, ticket_id, device_id);
        CREATE INDEX events_alone ON events (received_at) WHERE deliveries = 0;

        CREATE TABLE deliveries (
            event INTEGER NOT NULL REFERENCES events,
            position INTEGER NOT NULL,
            id BLOB NOT NULL UNIQUE,
            notifier TEXT NOT NULL,
            app_id TEXT NOT NULL,
            ticket_id INTEGER NOT NULL,
            state INTEGER NOT NULL,
            leads INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            reason TEXT NOT NULL,
            PRIMARY KEY (event, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX deliveries_due ON deliveries (notifier, leads, due_at) WHERE state = 0;
        CREATE INDEX deliveries_ticket ON deliveries (notifier, app_id, ticket_id, state) WHERE state = 0;
        CREATE INDEX deliveries_oldest ON deliveries (notifier, state) WHERE state = 0;
        CREATE INDEX deliveries_ended ON deliveries (state, ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE attempts (
            event INTEGER NOT NULL,
            position INTEGER NOT NULL,
            number INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            outcome TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (event, position, number),
            FOREIGN KEY (event, position) REFERENCES deliveries ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE runs (closed INTEGER NOT NULL) STRICT;
        INSERT INTO runs VALUES (1);

        CREATE VIEW stories AS
            SELECT event, position, deliveries.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, events.id AS event_id,
                kind, events.app_id, events.ticket_id, comment_id, device_id, user_id, occurred_at, received_at, payload, leads
            FROM deliveries JOIN events ON number = event;
        """
    ]
}
