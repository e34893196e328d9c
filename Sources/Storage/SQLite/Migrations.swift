internal import SQLite

/// The steps that bring a file to the current schema, in order. A released step never changes.
enum Migrations {
    /// The version of the current schema: the number of steps.
    static var latest: Int32 { Int32(scripts.count) }

    private static let tokenFormsVersion = 10

    /// Runs the steps that the file lacks, each in its own transaction with its version number.
    /// - Precondition: the file's version is not newer than `latest`.
    static func run(on connection: Connection) throws(SQLiteError) {
        for step in Int(try connection.userVersion())..<scripts.count {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute(scripts[step])
                if step + 1 == tokenFormsVersion { try TokenForms.join(on: connection) }
                try connection.setUserVersion(Int32(step + 1))
            }
        }
    }

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
    // `past_comments` holds what recognises a comment after its event was deleted: its identity first, because identities rise, and `mark`,
    // a digest of its ticket and device. A row is written when the event is deleted, so acceptance costs only a search. Neither the ticket
    // nor the person of an event has an index: an index of tickets would add a page to the log for nearly every comment (5.3 kB instead of
    // 2.2 kB each), an index of persons 40 % to a registration. Operators' lists scan the events instead, in steps, on a separate
    // connection; `walk` is `stories` in that order. `deliveries_dead` contains only dead deliveries.
    //
    // A device without a token has signed out; its row keeps the last token's digest, so that a late webhook does not bring it back.
    // `from_app` is 1 if the app itself reported what the row says; no webhook changes such a row. `calls` holds the times of a person's
    // last allowed registrations, as many as the limits need, in a row with an empty device: one search finds it with the person's devices.
    // `device_calls` holds those of a device, whoever is signed in there, under a number for its name: these rows are in random order, and
    // small ones share pages. `windows` holds those of an app, and those of the service with app 0: there may be many. There are no foreign
    // keys: rows that belong together are written by one thread in one transaction, and checking would cost a search for each row.
    //
    // Version 2 adds `paced_calls`: when the receiver of a notifier was called about a person or a device, under a digest of their names
    // (`PaceBook.Key`), so that the pace outlives the process. From `until` on the row counts no more.
    //
    // Version 3 adds `revocations`: which security keys count no more. At most one of `user_id`, `salt` and `key_id` has a value; none means
    // all keys of the app. `issued_before` is in seconds, NULL for all keys. `version` numbers the changes; `revocation_versions` has the last
    // one, in a row that the first change makes. `removed_revocations` tells of removals for a day; `forgotten` is the version of the last one
    // that it tells of no more.
    //
    // Version 4 adds `key_uses`: since when the use of an app's key is recorded, and when it was last used. It has a row for each key that a
    // service has ever had in force.
    //
    // Version 5 adds what forgetting a person needs: `former` of a revocation is the salt of a former person, whose digest stands in
    // `user_id` (`FormerUser`); `erased` is 1 for an event whose person and device are deleted once none of its deliveries is pending.
    //
    // Version 6 adds `conditions`: what lasts that operators were told of (`OperatorCondition`), so that its end is told once, too.
    //
    // Version 7 adds `trace` of an event, `TraceContext.bytes` of the request that it came with, and appends it to both views.
    //
    // Version 8 adds `topics`: what help desks have told of something that has a state (`Topic`). The index of persons is for forgetting
    // them; only a report writes it.
    //
    // Version 9 adds `bot_calls`: which functions bots have called for whom, and what came of it (`BotCall`). `key` deduplicates calls.
    // Lists read it by time, by person or by outcome; the last index also finds what is given up and deleted.
    //
    // Version 10 has no script: `TokenForms` brings together the forms of one push token.
    //
    // Version 11 has `deliveries_due` lead by the app, too, so that a claim finds what is due for each app at once, however much waits for
    // another one. It appends `app` to `stories`.
    //
    // Version 12 adds what is known of the key with which a device registered (`KeyClaims`), so that a revocation finds the device:
    // `issued_at` in seconds, by the clock of whoever has minted the key, or without a key the moment of the registration; 0 for devices of
    // before. They have no index: a revocation of a key, a key id or an app walks through the app's devices in steps, and an index would
    // make every registration slower. `swept` of a revocation is 1 when it has looked at all of them, and `devices_removed` how many it has
    // signed out. Revocations of before count as swept: comments pass over the devices that they cover, whose rows stay until they register.
    //
    // Version 13 adds the index by which the revocations of one app are listed.
    //
    // Version 14 adds `dead_counts`: how many deliveries of a notifier and an app are dead for a reason. Triggers count, so that no statement
    // can change a delivery and forget the count. They run for rows that become dead or cease to be, and for no others. A row whose count is 0
    // stays: there are few notifiers, apps and reasons. `deliveries_dead_groups` finds the oldest and the newest of each.
    private static let scripts: [StaticString] = [
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
        """,
        """
        CREATE TABLE paced_calls (
            notifier TEXT NOT NULL,
            number INTEGER NOT NULL,
            until INTEGER NOT NULL,
            times BLOB NOT NULL,
            PRIMARY KEY (notifier, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX paced_calls_until ON paced_calls (until);
        """,
        """
        CREATE TABLE revocations (
            version INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            app INTEGER NOT NULL,
            user_id TEXT,
            salt BLOB,
            key_id INTEGER,
            issued_before INTEGER,
            reason TEXT NOT NULL,
            author TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX revocations_of_user ON revocations (app, user_id, id) WHERE user_id IS NOT NULL;

        CREATE TABLE removed_revocations (version INTEGER PRIMARY KEY, id BLOB NOT NULL, at INTEGER NOT NULL) STRICT;
        CREATE INDEX removed_revocations_at ON removed_revocations (at);

        CREATE TABLE revocation_versions (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            last INTEGER NOT NULL,
            forgotten INTEGER NOT NULL
        ) STRICT;
        """,
        """
        CREATE TABLE key_uses (
            app_id TEXT NOT NULL,
            key_id INTEGER NOT NULL,
            since INTEGER NOT NULL,
            used_at INTEGER,
            PRIMARY KEY (app_id, key_id)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        ALTER TABLE revocations ADD COLUMN former BLOB;
        CREATE INDEX revocations_former ON revocations (former) WHERE former IS NOT NULL;

        ALTER TABLE events ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
        """,
        """
        CREATE TABLE conditions (
            kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            since INTEGER NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY (kind, subject)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        ALTER TABLE events ADD COLUMN trace BLOB;

        DROP VIEW stories;
        CREATE VIEW stories AS
            SELECT event, position, events.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at, leads,
                trace
            FROM deliveries
                JOIN events ON events.number = event
                JOIN apps ON apps.number = events.app
                LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                    AND devices.device_id = deliveries.device_id AND token IS NOT NULL;

        DROP VIEW walk;
        CREATE VIEW walk AS
            SELECT event, position, events.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at, leads,
                trace, events.number AS number
            FROM events
                CROSS JOIN apps ON apps.number = events.app
                CROSS JOIN deliveries ON event = events.number
                LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                    AND devices.device_id = deliveries.device_id AND token IS NOT NULL;
        """,
        """
        CREATE TABLE topics (
            app INTEGER NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            user_id TEXT NOT NULL,
            at INTEGER NOT NULL,
            data BLOB NOT NULL,
            PRIMARY KEY (app, kind, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX topics_of_user ON topics (app, user_id);
        CREATE INDEX topics_at ON topics (at);
        """,
        """
        CREATE TABLE bot_calls (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            key BLOB UNIQUE,
            app INTEGER NOT NULL,
            user_id TEXT NOT NULL,
            bot TEXT NOT NULL,
            function TEXT NOT NULL,
            digest TEXT NOT NULL,
            arguments TEXT,
            outcome TEXT NOT NULL,
            status INTEGER,
            reason TEXT,
            at INTEGER NOT NULL,
            ended_at INTEGER
        ) STRICT;
        CREATE INDEX bot_calls_at ON bot_calls (at);
        CREATE INDEX bot_calls_of_user ON bot_calls (app, user_id, at);
        CREATE INDEX bot_calls_by_outcome ON bot_calls (outcome, at);
        """,
        "",
        """
        DROP INDEX deliveries_due;
        CREATE INDEX deliveries_due ON deliveries (notifier, app, state, leads, due_at) WHERE state = 0;

        DROP VIEW stories;
        CREATE VIEW stories AS
            SELECT event, position, events.id, notifier, state, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at, leads,
                trace, deliveries.app
            FROM deliveries
                JOIN events ON events.number = event
                JOIN apps ON apps.number = events.app
                LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                    AND devices.device_id = deliveries.device_id AND token IS NOT NULL;
        """,
        """
        ALTER TABLE devices ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN key_id INTEGER;
        ALTER TABLE devices ADD COLUMN salt BLOB;

        ALTER TABLE revocations ADD COLUMN devices_removed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE revocations ADD COLUMN swept INTEGER NOT NULL DEFAULT 1;
        CREATE INDEX revocations_unswept ON revocations (version) WHERE swept = 0;
        """,
        "CREATE INDEX revocations_of_app ON revocations (app, id)",
        """
        CREATE TABLE dead_counts (
            notifier TEXT NOT NULL,
            app INTEGER NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (notifier, app, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX deliveries_dead_groups ON deliveries (notifier, app, reason, event, position) WHERE state = 2;
        INSERT INTO dead_counts SELECT notifier, app, reason, count(*) FROM deliveries WHERE state = 2 GROUP BY notifier, app, reason;

        CREATE TRIGGER dead_inserted AFTER INSERT ON deliveries WHEN new.state = 2 BEGIN
            INSERT INTO dead_counts VALUES (new.notifier, new.app, new.reason, 1)
                ON CONFLICT (notifier, app, reason) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER dead_ended AFTER UPDATE OF state, reason ON deliveries WHEN new.state = 2 BEGIN
            INSERT INTO dead_counts VALUES (new.notifier, new.app, new.reason, 1)
                ON CONFLICT (notifier, app, reason) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER dead_revived AFTER UPDATE OF state, reason ON deliveries WHEN old.state = 2 BEGIN
            UPDATE dead_counts SET count = count - 1 WHERE notifier = old.notifier AND app = old.app AND reason = old.reason;
        END;
        CREATE TRIGGER dead_deleted AFTER DELETE ON deliveries WHEN old.state = 2 BEGIN
            UPDATE dead_counts SET count = count - 1 WHERE notifier = old.notifier AND app = old.app AND reason = old.reason;
        END;
        """,
    ]
}
