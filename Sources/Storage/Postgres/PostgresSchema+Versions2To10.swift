extension PostgresSchema {
    // Version 2 adds `paced_calls`: the times of calls to a notifier's receiver about a person or a device, with a digest of their names
    // (`OutboundRateLimiter.Key`). A row is outside the window from `until` on. Claims lock its rows after those of `deliveries`.
    //
    // Version 3 adds `pauses`: the notifiers that a replica has found to be paused, so that the others adopt the pause.
    //
    // Version 4 adds `copies`, which has a row while `StoreCopy` reads or fills the database, and afterwards until the next service starts.
    //
    // Version 5 adds `revocations`: the revoked security keys. At most one of `user_id`, `salt` and `key_id` has a value; none means all
    // keys of the app. `issued_before` is in seconds, NULL for all keys. `version` numbers the changes in the order of their commits: each
    // transaction with a change locks the row of `revocation_versions`, which the first one inserts. `removed_revocations` keeps removals
    // for a day; `forgotten` is the version of the last deleted one.
    //
    // Version 6 adds `key_uses`: the start of the record of an app's key, and its last use. It has a row for each key that a service has
    // ever had in force. `replicas.keys_digest` is the digest of the keys that a process has in force; older versions leave it NULL.
    //
    // Version 7 adds the columns for forgetting a person: `former` of a revocation is the salt of a forgotten person, whose digest is in
    // `user_id` (`FormerUser`); `erased` is true for an event whose person and device are deleted once none of its deliveries is pending.
    //
    // Version 8 adds `conditions`: continuing conditions that operators were notified of (`OperatorCondition`). `holders` are the replicas
    // that report a condition, so that it ends with the last of them.
    //
    // Version 9 adds `trace` to an event, the `TraceContext.bytes` of its request; older versions leave it NULL. The view `traced_stories`
    // adds it to the columns of `stories`, which stays unchanged: changing a view breaks the prepared statements of replicas that still
    // read all of its columns.
    //
    // Version 10 adds `conversations`: the state of topics that help desks have reported (`ConversationState`). A report locks its
    // rows, in the order of the key and before those of `persons`. A row whose data is empty was made only to be locked.
    static let versions2To10: [[StaticString]] = [
        [
            """
            CREATE TABLE paced_calls (
                notifier text COLLATE "C" NOT NULL,
                number bigint NOT NULL,
                until bigint NOT NULL,
                times bytea NOT NULL,
                PRIMARY KEY (notifier, number)
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE INDEX paced_calls_until ON paced_calls (until)
            """,
        ],
        [
            """
            CREATE TABLE pauses (
                notifier text COLLATE "C" NOT NULL,
                kind text COLLATE "C" NOT NULL,
                reason text COLLATE "C" NOT NULL,
                until bigint NOT NULL,
                replica uuid NOT NULL,
                PRIMARY KEY (notifier, kind)
            ) WITH (fillfactor = 10)
            """
        ],
        ["CREATE TABLE copies (id bigint PRIMARY KEY, role smallint NOT NULL)"],
        [
            """
            CREATE TABLE revocations (
                version bigint PRIMARY KEY,
                id uuid NOT NULL UNIQUE,
                app integer NOT NULL,
                user_id text COLLATE "C",
                salt bytea,
                key_id bigint,
                issued_before bigint,
                reason text COLLATE "C" NOT NULL,
                author text COLLATE "C" NOT NULL,
                created_at bigint NOT NULL
            )
            """,
            """
            CREATE INDEX revocations_of_user ON revocations (app, user_id, id) WHERE user_id IS NOT NULL
            """,
            "CREATE TABLE removed_revocations (version bigint PRIMARY KEY, id uuid NOT NULL, at bigint NOT NULL)",
            "CREATE INDEX removed_revocations_at ON removed_revocations (at)",
            """
            CREATE TABLE revocation_versions (
                id bigint PRIMARY KEY CHECK (id = 1), last bigint NOT NULL, forgotten bigint NOT NULL
            ) WITH (fillfactor = 10)
            """,
        ],
        [
            """
            CREATE TABLE key_uses (
                app_id text COLLATE "C" NOT NULL,
                key_id bigint NOT NULL,
                since bigint NOT NULL,
                used_at bigint,
                PRIMARY KEY (app_id, key_id)
            ) WITH (fillfactor = 50)
            """,
            """
            ALTER TABLE replicas ADD COLUMN keys_digest text COLLATE "C"
            """,
        ],
        [
            "ALTER TABLE revocations ADD COLUMN former bytea",
            "CREATE INDEX revocations_former ON revocations (former) WHERE former IS NOT NULL",
            "ALTER TABLE events ADD COLUMN erased boolean NOT NULL DEFAULT false",
        ],
        [
            """
            CREATE TABLE conditions (
                kind text COLLATE "C" NOT NULL,
                subject text COLLATE "C" NOT NULL,
                since bigint NOT NULL,
                data bytea NOT NULL,
                holders uuid[] NOT NULL DEFAULT '{}',
                PRIMARY KEY (kind, subject)
            ) WITH (fillfactor = 50)
            """
        ],
        [
            "ALTER TABLE events ADD COLUMN trace bytea",
            """
            CREATE VIEW traced_stories AS
                SELECT event, position, events.id, notifier, state::integer, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                    comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                    deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at,
                    deliveries.app, order_key, leads, trace
                FROM deliveries
                    JOIN events ON events.number = event
                    JOIN apps ON apps.number = events.app
                    LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                        AND devices.device_id = deliveries.device_id AND token IS NOT NULL
            """,
        ],
        [
            """
            CREATE TABLE topics (
                app integer NOT NULL,
                kind text COLLATE "C" NOT NULL,
                name text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL DEFAULT '',
                at bigint NOT NULL,
                data bytea NOT NULL DEFAULT '',
                PRIMARY KEY (app, kind, name)
            ) WITH (fillfactor = 80)
            """,
            "CREATE INDEX topics_of_user ON topics (app, user_id) WHERE user_id <> ''",
            "CREATE INDEX topics_at ON topics (at)",
        ],
    ]
}
