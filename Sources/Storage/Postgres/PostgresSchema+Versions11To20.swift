extension PostgresSchema {
    // Version 11 adds `bot_calls`: the calls of bots' functions with their users and outcomes (`BotCall`). `key` deduplicates calls. A
    // transaction inserts new rows before all other locks, in the order of `key`; a transaction that locks several existing rows does so in
    // the order of `number`, or skips locked ones. Lists read the table by time, by person or by outcome; the last index also finds calls
    // to give up and to delete.
    //
    // Version 12 converts hexadecimal push tokens to lower case (`PushToken`). Of several devices with one token the last seen one keeps
    // it, and the others become tombstones.
    //
    // Version 13 adds `app` to `depth`, the number of pending deliveries of an app. Older versions leave it NULL, also when they sum up
    // rows; `countDepth` corrects that once they have stopped. During a rolling update the sum of a notifier is correct, so older versions
    // keep to the limit and this one to twice the limit. Rows without an app are treated as one more app, and may hide deliveries of an
    // app, which then exceeds its share.
    //
    // Version 14 adds `deliveries_turns`, with which a claim finds each app's due deliveries at once, for any backlog of another app.
    // `state < 1 AND leads IS NOT FALSE` is equivalent to `state = 0 AND leads`, but a statement with this condition can only use this
    // index, and none with which it could scan a whole backlog. Older versions claim with `deliveries_due`, and this one uses it to find
    // the time of the next due delivery. The index can be created before the update (`SCALING.md`).
    //
    // Version 15 adds the facts about the key with which a device registered (`KeyClaims`), so that a revocation finds the device:
    // `issued_at` in seconds, by the clock of the backend that minted the key, or without a key the time of the registration; 0 for devices
    // inserted by an older version. A device that an older version registers again keeps the key in the row. They have no index: a
    // revocation of a key, a key id or an app scans the app's devices in steps, and an index would slow down every registration.
    //
    // Version 16 adds `swept` to a revocation, which means that all devices were checked, and `devices_removed`, the number of signed-out
    // devices. Earlier revocations are marked as swept: comments skip the devices that they cover, whose rows stay until they register.
    // Revocations that an older version adds during the update are searched for devices. A revocation locks the row of
    // `revocation_versions` before that of its person, which registrations and webhooks lock before they read the version.
    //
    // Version 17 adds the index for listing the revocations of one app.
    //
    // Version 18 adds `dead_counts`: the number of dead deliveries of a notifier and an app by reason, as the sum of rows. Triggers count,
    // so deliveries that an older version ends or deletes are counted, too. They only add rows: replicas that end deliveries of one
    // notifier never wait for each other, and heartbeats sum the rows up. They run only for rows that become dead or stop being dead. The
    // first trigger locks `deliveries` until the existing rows are counted.
    //
    // Version 19 adds `deliveries_dead_groups`, an index for the oldest and the newest delivery of each group.
    //
    // Version 20 adds `user_questions`: one replica's queries about a user, a row for each other replica, which writes its answer into the
    // row. Heartbeats delete them after a minute. The user's name is a digest.
    static let versions11To20: [[StaticString]] = [
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
