extension Migrations {
    // Version 1.
    //
    // Apps are stored as numbers, because their names are long and are part of every index. The identities of comments and tickets are the
    // help desk's text, compared as bytes (BINARY is the default collation). In `events_identity` the comment comes before the ticket:
    // today's help desk uses rising numbers as identities, so new ones share few pages, which halves what a commit writes.
    //
    // `app`, `order_key` and `expires_at` of a delivery repeat columns of its event, so that working the queue does not read events.
    // `order_key` is a number for the event's order key (`StoreRules.orderNumber`), which keeps `deliveries_order` small; it is NULL if no
    // order is kept. `leads` is 0 while an earlier pending delivery with the same notifier, app and `order_key` exists, so claims need not
    // skip deliveries that have to wait. A delivery's id is computed from its event's id and its position (`UUIDv7.delivery`), so none is
    // stored. `state` is 0 pending, 1 delivered, 2 dead, 3 without a target; it is also a column of partial indexes, because SQLite 3.40
    // otherwise reads the table for it.
    //
    // `past_comments` contains the records that deduplicate comments after their events were deleted: the identity first, because
    // identities ascend, and `mark`, a digest of the ticket and device. A row is written when the event is deleted, so acceptance costs
    // only a search. Neither the ticket nor the person of an event has an index: an index of tickets would add a page to the log for nearly
    // every comment (5.3 kB instead of 2.2 kB each), an index of persons 40 % to a registration. Operators' lists scan the events instead,
    // in steps, on a separate connection; `walk` is `stories` in that order. `deliveries_dead` contains only dead deliveries.
    //
    // A device without a token has signed out; its row keeps the last token's digest, so that a late webhook does not register it again.
    // `from_app` is 1 if the app itself registered or signed out the device; no webhook changes such a row. `calls` contains the times of a
    // person's last allowed registrations, as many as the limits need, in a row with an empty device: one search finds it with the person's
    // devices. `device_calls` contains those of a device, of all its users, under a number for its name: these rows are in random order,
    // and small ones share pages. `windows` contains those of an app, and those of the service with app 0: there may be many. There are no
    // foreign keys: rows that belong together are written by one thread in one transaction, and checking would cost a search for each row.
    static let version1: [StaticString] = [
        """
        CREATE TABLE apps (number INTEGER PRIMARY KEY, app_id TEXT NOT NULL UNIQUE) STRICT;

        CREATE TABLE events (
            number INTEGER PRIMARY KEY,
            app INTEGER NOT NULL,
            comment_id TEXT,
            ticket_id TEXT,
            device_id TEXT NOT NULL,
            device_type TEXT,
            id BLOB NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            user_id TEXT NOT NULL,
            occurred_at INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            deliveries INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX events_identity ON events (app, comment_id, ticket_id, device_id) WHERE comment_id IS NOT NULL;

        CREATE TABLE past_comments (
            app INTEGER NOT NULL,
            comment_id TEXT NOT NULL,
            mark INTEGER NOT NULL,
            at INTEGER NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (app, comment_id, mark)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX past_comments_at ON past_comments (at);

        CREATE TABLE deliveries (
            event INTEGER NOT NULL,
            position INTEGER NOT NULL,
            notifier TEXT NOT NULL,
            app INTEGER NOT NULL,
            order_key INTEGER,
            device_id TEXT,
            needs_device INTEGER NOT NULL,
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
        CREATE INDEX deliveries_order ON deliveries (notifier, app, order_key, state) WHERE state = 0 AND order_key IS NOT NULL;
        CREATE INDEX deliveries_expiring ON deliveries (notifier, state, expires_at) WHERE state = 0;
        CREATE INDEX deliveries_dead ON deliveries (event, position) WHERE state = 2;
        CREATE INDEX deliveries_ended ON deliveries (state, ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE attempts (
            event INTEGER NOT NULL,
            position INTEGER NOT NULL,
            number INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            outcome TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (event, position, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE devices (
            app INTEGER NOT NULL,
            user_id TEXT NOT NULL,
            device_id TEXT NOT NULL,
            type TEXT NOT NULL,
            token TEXT,
            digest BLOB,
            environment TEXT,
            registered_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            from_app INTEGER NOT NULL,
            calls BLOB,
            PRIMARY KEY (app, user_id, device_id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX devices_token ON devices (app, digest) WHERE token IS NOT NULL;
        CREATE INDEX devices_seen ON devices (seen_at) WHERE device_id <> '';
        CREATE INDEX persons_seen ON devices (seen_at) WHERE device_id = '';

        CREATE TABLE device_calls (device INTEGER PRIMARY KEY, at INTEGER NOT NULL, times BLOB NOT NULL) STRICT;

        CREATE TABLE windows (
            app INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (app, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE runs (closed INTEGER NOT NULL) STRICT;
        INSERT INTO runs VALUES (1);

        CREATE TABLE clock (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            boot TEXT NOT NULL,
            wall INTEGER NOT NULL,
            since_boot INTEGER NOT NULL,
            age INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE clock_jumps (at INTEGER NOT NULL, by INTEGER NOT NULL, is_gap INTEGER NOT NULL) STRICT;

        CREATE VIEW stories AS
            SELECT event, position, events.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at, leads
            FROM deliveries
                JOIN events ON events.number = event
                JOIN apps ON apps.number = events.app
                LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                    AND devices.device_id = deliveries.device_id AND token IS NOT NULL;

        CREATE VIEW walk AS
            SELECT event, position, events.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at, leads,
                events.number AS number
            FROM events
                CROSS JOIN apps ON apps.number = events.app
                CROSS JOIN deliveries ON event = events.number
                LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                    AND devices.device_id = deliveries.device_id AND token IS NOT NULL;
        """
    ]
}
