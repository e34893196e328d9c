/// The steps that bring a database to the present schema, in their order; a step never changes once it has been released.
///
/// A step only adds, so that processes of the version before go on working beside it during a rolling update.
enum PostgresSchema {
    /// The present schema's version: how many steps have been taken.
    static var latest: Int { steps.count }

    // Version 1.
    //
    // Texts are compared as bytes (`COLLATE "C"`), moments are Unix milliseconds. Apps are numbers inside, because their names are long and
    // stand in every index. `deliveries.order_key` is a number for the event's order key (`StoreRules.orderNumber`), NULL where no order is
    // kept; `leads` is false while an earlier pending delivery with the same notifier, app and order key exists, so that claims pass over
    // nothing that has to wait. `state` is 0 pending, 1 delivered, 2 dead, 3 without a target. `owner` is the replica that has leased a
    // delivery, so that the others can release the leases of one that is dead.
    //
    // The rows of `persons`, `device_calls`, `windows` and `order_heads` are what transactions lock, in this order of tables and within each
    // in the order of its key, so that none waits for another in a circle. A person's row is there from the first event or registration on.
    //
    // Version 2 adds `paced_calls`: when the receiver of a notifier was called about a person or a device, under a digest of their names
    // (`PaceBook.Key`). From `until` on a row counts no more. Claims lock its rows after those of `deliveries`.
    //
    // Version 3 adds `pauses`: of which notifiers a replica has found out that nothing may start, so that the others need not find out too.
    //
    // Version 4 adds `copies`, which has a row while `StoreCopy` reads or fills the database, and afterwards until the next service starts.
    //
    // Version 5 adds `revocations`: which security keys count no more. At most one of `user_id`, `salt` and `key_id` has a value; none means
    // all keys of the app. `issued_before` is in seconds, NULL for all keys. `version` numbers the changes in the order in which they were
    // committed: each transaction that makes one locks the row of `revocation_versions`, which the first one makes. `removed_revocations`
    // tells of removals for a day; `forgotten` is the version of the last one that it tells of no more.
    //
    // Version 6 adds `key_uses`: since when the use of an app's key is recorded, and when it was last used. It has a row for each key that a
    // service has ever had in force. `replicas.keys_digest` says which keys a process has in force; older versions leave it NULL.
    //
    // Version 7 adds what forgetting a person needs: `former` of a revocation is the salt of a former person, whose digest stands in
    // `user_id` (`FormerUser`); `erased` is true for an event whose person and device are deleted once none of its deliveries is pending.
    //
    // Version 8 adds `conditions`: what lasts that operators were told of (`OperatorCondition`). `holders` are the replicas that see it, so
    // that it ends with the last of them.
    //
    // Version 9 adds `trace` of an event, `TraceContext.bytes` of the request that it came with; older versions leave it NULL. The view
    // `traced_stories` has it behind the columns of `stories`, which stays as it is: to change a view breaks the prepared statements of the
    // replicas that still read all of its columns.
    //
    // Version 10 adds `topics`: what help desks have told of something that has a state (`Topic`). A report locks its rows, in the order of
    // the key and before those of `persons`. A row whose data is empty was made only to be locked.
    //
    // Version 11 adds `bot_calls`: which functions bots have called for whom, and what came of it (`BotCall`). `key` deduplicates calls.
    // New rows come before everything else that a transaction locks, in the order of `key`; whoever locks several rows that are there does
    // so in the order of `number`, or passes over those that are locked. Lists read the table by time, by person or by outcome; the last
    // index also finds what is given up and deleted.
    //
    // Version 12 gives hexadecimal push tokens one form, lower case (`PushToken`). Of several devices with one token the one seen last keeps
    // it, and the others become tombstones.
    //
    // Version 13 adds `app` to `depth`, which says how many deliveries of an app are pending. Older versions leave it NULL, also where
    // they sum up rows; `countDepth` puts that right once they have left. During a rolling update the sum of a notifier is right, so older
    // versions keep to the bound and this one to twice the bound. Rows without an app count as one more app, and what they hide of an app
    // may let it find room beyond its share.
    //
    // Version 14 adds `deliveries_turns`, with which a claim finds what is due for each app at once, however much waits for another one.
    // `state < 1 AND leads IS NOT FALSE` is the same as `state = 0 AND leads`, but a statement that says so can use only this index, and
    // none in which it might pass over a whole backlog. Older versions claim by `deliveries_due`, and this one asks it when the next
    // delivery is due. The index can be made before the update (`SCALING.md`).
    //
    // Version 15 adds what is known of the key with which a device registered (`KeyClaims`), so that a revocation finds the device:
    // `issued_at` in seconds, by the clock of whoever has minted the key, or without a key the moment of the registration; 0 for devices
    // that an older version has inserted. One that an older version registers again keeps the key of the row. They have no index: a
    // revocation of a key, a key id or an app walks through the app's devices in steps, and an index would make every registration slower.
    //
    // Version 16 has `swept` of a revocation say that it has looked at all of them, and `devices_removed` how many it has signed out.
    // Revocations of before count as swept: comments pass over the devices that they cover, whose rows stay until they register. Those that
    // an older version adds during the update are looked at. A revocation locks the row of `revocation_versions` before that of its person,
    // which registrations and webhooks lock before they ask for the version.
    //
    // Version 17 adds the index by which the revocations of one app are listed.
    //
    // Version 18 adds `dead_counts`: how many deliveries of a notifier and an app are dead for a reason, as the sum of rows. Triggers count,
    // so that what an older version ends or deletes is counted, too. They only add rows: replicas that end deliveries of one notifier never
    // wait for each other, and heartbeats sum the rows up. They run for rows that become dead or cease to be, and for no others. The first
    // trigger locks `deliveries` until the rows of before are counted.
    //
    // Version 19 adds `deliveries_dead_groups`, with which the oldest and the newest of each are found.
    //
    // Version 20 adds `user_questions`: what one replica asks the others about a user, a row for each of them, which it answers in that row.
    // Heartbeats delete them after a minute. The user's name is a digest.
    //
    // Rows that change often leave room for their next version on the same page (fillfactor), and are vacuumed early.
    static let steps: [[StaticString]] = [
        [
            """
            CREATE TABLE apps (
                number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                app_id text COLLATE "C" NOT NULL UNIQUE
            )
            """,
            """
            CREATE TABLE events (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                app integer NOT NULL,
                comment_id text COLLATE "C",
                ticket_id text COLLATE "C",
                device_id text COLLATE "C" NOT NULL,
                device_type text COLLATE "C",
                id uuid NOT NULL UNIQUE,
                kind text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                occurred_at bigint NOT NULL,
                received_at bigint NOT NULL,
                data bytea NOT NULL
            )
            """,
            """
            CREATE UNIQUE INDEX events_identity ON events (app, comment_id, ticket_id, device_id) WHERE comment_id IS NOT NULL
            """,
            """
            CREATE TABLE past_comments (
                app integer NOT NULL,
                comment_id text COLLATE "C" NOT NULL,
                mark bigint NOT NULL,
                at bigint NOT NULL,
                id uuid NOT NULL,
                PRIMARY KEY (app, comment_id, mark)
            )
            """,
            """
            CREATE INDEX past_comments_at ON past_comments (at)
            """,
            """
            CREATE TABLE deliveries (
                event bigint NOT NULL,
                position integer NOT NULL,
                notifier text COLLATE "C" NOT NULL,
                app integer NOT NULL,
                order_key bigint,
                device_id text COLLATE "C",
                needs_device boolean NOT NULL,
                state smallint NOT NULL,
                leads boolean NOT NULL,
                attempts integer NOT NULL,
                due_at bigint NOT NULL,
                expires_at bigint NOT NULL,
                ended_at bigint,
                reason text COLLATE "C" NOT NULL,
                owner uuid,
                PRIMARY KEY (event, position)
            ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)
            """,
            """
            CREATE INDEX deliveries_due ON deliveries (notifier, due_at, event, position) WHERE state = 0 AND leads
            """,
            """
            CREATE INDEX deliveries_order ON deliveries (notifier, app, order_key, event, position)
                WHERE state = 0 AND order_key IS NOT NULL
            """,
            """
            CREATE INDEX deliveries_expiring ON deliveries (notifier, expires_at, event, position) WHERE state = 0
            """,
            """
            CREATE INDEX deliveries_dead ON deliveries (event, position) WHERE state = 2
            """,
            """
            CREATE INDEX deliveries_ended ON deliveries (state, ended_at) WHERE ended_at IS NOT NULL
            """,
            """
            CREATE INDEX deliveries_owned ON deliveries (owner) WHERE owner IS NOT NULL
            """,
            """
            CREATE TABLE attempts (
                event bigint NOT NULL,
                position integer NOT NULL,
                number integer NOT NULL,
                started_at bigint NOT NULL,
                ended_at bigint,
                outcome text COLLATE "C" NOT NULL,
                reason text COLLATE "C" NOT NULL,
                PRIMARY KEY (event, position, number)
            ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)
            """,
            """
            CREATE TABLE order_heads (
                notifier text COLLATE "C" NOT NULL,
                app integer NOT NULL,
                order_key bigint NOT NULL,
                waiting bigint NOT NULL,
                PRIMARY KEY (notifier, app, order_key)
            ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)
            """,
            """
            CREATE TABLE persons (
                app integer NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                calls bytea NOT NULL DEFAULT '',
                called_at bigint,
                PRIMARY KEY (app, user_id)
            ) WITH (fillfactor = 70)
            """,
            """
            CREATE INDEX persons_called ON persons (called_at) WHERE called_at IS NOT NULL
            """,
            """
            CREATE TABLE devices (
                app integer NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                device_id text COLLATE "C" NOT NULL,
                type text COLLATE "C" NOT NULL,
                token text COLLATE "C",
                digest bytea,
                environment text COLLATE "C",
                registered_at bigint NOT NULL,
                seen_at bigint NOT NULL,
                from_app boolean NOT NULL,
                PRIMARY KEY (app, user_id, device_id)
            ) WITH (fillfactor = 80)
            """,
            """
            CREATE UNIQUE INDEX devices_token ON devices (app, digest) WHERE token IS NOT NULL
            """,
            """
            CREATE INDEX devices_seen ON devices (seen_at)
            """,
            """
            CREATE TABLE device_calls (device bigint PRIMARY KEY, at bigint NOT NULL, times bytea NOT NULL) WITH (fillfactor = 70)
            """,
            """
            CREATE INDEX device_calls_at ON device_calls (at)
            """,
            """
            CREATE TABLE windows (app integer PRIMARY KEY, last bigint NOT NULL) WITH (fillfactor = 10)
            """,
            """
            CREATE TABLE window_calls (
                app integer NOT NULL,
                number bigint NOT NULL,
                at bigint NOT NULL,
                PRIMARY KEY (app, number)
            )
            """,
            """
            CREATE TABLE depth (
                notifier text COLLATE "C" NOT NULL,
                pending bigint NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
            """,
            """
            CREATE TABLE replicas (id uuid PRIMARY KEY, seen_at bigint NOT NULL) WITH (fillfactor = 10)
            """,
            """
            CREATE TABLE marks (id uuid PRIMARY KEY, is_committed boolean NOT NULL, at timestamptz NOT NULL)
                WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)
            """,
            "CREATE INDEX marks_at ON marks (at)",
            """
            CREATE VIEW stories AS
                SELECT event, position, events.id, notifier, state::integer, attempts, due_at, ended_at, reason, expires_at, kind, app_id, ticket_id,
                    comment_id, events.device_id, device_type, events.user_id, occurred_at, received_at, data, needs_device,
                    deliveries.device_id AS target_id, devices.type AS target_type, token, digest, environment, registered_at, seen_at,
                    deliveries.app, order_key, leads
                FROM deliveries
                    JOIN events ON events.number = event
                    JOIN apps ON apps.number = events.app
                    LEFT JOIN devices ON devices.app = events.app AND devices.user_id = events.user_id
                        AND devices.device_id = deliveries.device_id AND token IS NOT NULL
            """,
        ],
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
        [
            """
            CREATE TABLE bot_calls (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                id uuid NOT NULL UNIQUE,
                key bytea UNIQUE,
                app integer NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                bot text COLLATE "C" NOT NULL,
                function text COLLATE "C" NOT NULL,
                digest text COLLATE "C" NOT NULL,
                arguments text COLLATE "C",
                outcome text COLLATE "C" NOT NULL,
                status integer,
                reason text COLLATE "C",
                at bigint NOT NULL,
                ended_at bigint
            )
            """,
            "CREATE INDEX bot_calls_at ON bot_calls (at, number)",
            "CREATE INDEX bot_calls_of_user ON bot_calls (app, user_id, at, number)",
            "CREATE INDEX bot_calls_by_outcome ON bot_calls (outcome, at, number)",
        ],
        [
            """
            WITH forms AS (
                SELECT app, user_id, device_id, row_number() OVER (
                    PARTITION BY app, lower(token) ORDER BY seen_at DESC, registered_at DESC, user_id, device_id) AS place
                FROM devices WHERE token ~ '^[0-9A-Fa-f]{64,}$' AND length(token) <= 256 AND length(token) % 2 = 0
            )
            UPDATE devices SET token = NULL, digest = substring(sha256(convert_to(lower(token), 'UTF8')) FROM 1 FOR 16) FROM forms
            WHERE place > 1 AND devices.app = forms.app AND devices.user_id = forms.user_id AND devices.device_id = forms.device_id
            """,
            """
            UPDATE devices SET token = lower(token), digest = substring(sha256(convert_to(lower(token), 'UTF8')) FROM 1 FOR 16)
            WHERE token ~ '^[0-9A-Fa-f]{64,}$' AND token ~ '[A-F]' AND length(token) <= 256 AND length(token) % 2 = 0
            """,
        ],
        ["ALTER TABLE depth ADD COLUMN app integer"],
        [
            """
            CREATE INDEX IF NOT EXISTS deliveries_turns ON deliveries (notifier, app, due_at, event, position)
            WHERE state < 1 AND leads IS NOT FALSE
            """
        ],
        [
            "ALTER TABLE devices ADD COLUMN issued_at bigint NOT NULL DEFAULT 0",
            "ALTER TABLE devices ADD COLUMN key_id bigint",
            "ALTER TABLE devices ADD COLUMN salt bytea",
        ],
        [
            "ALTER TABLE revocations ADD COLUMN devices_removed bigint NOT NULL DEFAULT 0",
            "ALTER TABLE revocations ADD COLUMN swept boolean NOT NULL DEFAULT true",
            "ALTER TABLE revocations ALTER COLUMN swept SET DEFAULT false",
            "CREATE INDEX revocations_unswept ON revocations (version) WHERE NOT swept",
        ],
        ["CREATE INDEX revocations_of_app ON revocations (app, id)"],
        [
            """
            CREATE TABLE dead_counts (
                notifier text COLLATE "C" NOT NULL,
                app integer NOT NULL,
                reason text COLLATE "C" NOT NULL,
                count bigint NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
            """,
            """
            CREATE FUNCTION count_dead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF TG_OP <> 'INSERT' THEN
                    IF OLD.state = 2 THEN
                        INSERT INTO dead_counts (notifier, app, reason, count) VALUES (OLD.notifier, OLD.app, OLD.reason, -1);
                    END IF;
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    IF NEW.state = 2 THEN
                        INSERT INTO dead_counts (notifier, app, reason, count) VALUES (NEW.notifier, NEW.app, NEW.reason, 1);
                    END IF;
                END IF;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER dead_inserted AFTER INSERT ON deliveries FOR EACH ROW WHEN (NEW.state = 2) EXECUTE FUNCTION count_dead()
            """,
            """
            CREATE TRIGGER dead_changed AFTER UPDATE OF state, reason ON deliveries FOR EACH ROW WHEN (OLD.state = 2 OR NEW.state = 2)
            EXECUTE FUNCTION count_dead()
            """,
            """
            CREATE TRIGGER dead_deleted AFTER DELETE ON deliveries FOR EACH ROW WHEN (OLD.state = 2) EXECUTE FUNCTION count_dead()
            """,
            """
            INSERT INTO dead_counts (notifier, app, reason, count)
            SELECT notifier, app, reason, count(*) FROM deliveries WHERE state = 2 GROUP BY notifier, app, reason
            """,
        ],
        [
            """
            CREATE INDEX IF NOT EXISTS deliveries_dead_groups ON deliveries (notifier, app, reason, event, position) WHERE state = 2
            """
        ],
        [
            """
            CREATE TABLE user_questions (
                id uuid NOT NULL,
                replica uuid NOT NULL,
                app_id text COLLATE "C" NOT NULL,
                user_digest bytea NOT NULL,
                forgets boolean NOT NULL,
                asked_at bigint NOT NULL,
                answer bytea,
                PRIMARY KEY (id, replica)
            )
            """,
            "CREATE INDEX user_questions_open ON user_questions (replica, asked_at) WHERE answer IS NULL",
            "CREATE INDEX user_questions_at ON user_questions (asked_at)",
        ],
    ]
}
