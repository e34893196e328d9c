extension Migrations {
    // Version 2 adds `paced_calls`: the times at which the receiver of a notifier was called about a person or a device, with a digest of
    // their names (`OutboundRateLimiter.Key`), so that rate limits survive a restart. From `until` on the row has no effect.
    //
    // Version 3 adds `revocations`, which invalidate security keys. At most one of `user_id`, `salt` and `key_id` has a value; without any,
    // the row revokes all keys of the app. `issued_before` is in seconds, NULL for all keys. `version` numbers the changes;
    // `revocation_versions` contains the last number, in a row that the first change creates. `removed_revocations` keeps removals for a
    // day; `forgotten` is the version of the last removal that it has deleted.
    //
    // Version 4 adds `key_uses`: the time since which the use of an app's key is recorded, and the time of its last use. It has a row for
    // each key that was ever in a service's configuration.
    //
    // Version 5 adds the data for forgetting a person: `former` of a revocation is the salt of a former person, whose digest is in
    // `user_id` (`FormerUser`); `erased` is 1 for an event whose person and device are deleted once none of its deliveries is pending.
    //
    // Version 6 adds `conditions`: lasting conditions that operators were notified of (`OperatorCondition`), so that the end of each is
    // reported exactly once.
    //
    // Version 7 adds `trace` of an event: `TraceContext.bytes` of the request that created it. It is the last column of both views.
    //
    // Version 8 adds `conversations`: the state of topics that help desks have reported (`ConversationState`). The index of persons
    // is for forgetting them; only a report writes it.
    //
    // Version 9 adds `bot_calls`: calls of functions by bots, with their users and outcomes (`BotCall`). `key` deduplicates calls. Lists
    // read the table by time, by person or by outcome; the index by outcome also finds calls to mark as lost and calls to delete.
    //
    // Version 10 has no script: `TokenForms` unifies the forms of each push token.
    static let versions2To10: [StaticString] = [
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
    ]
}
