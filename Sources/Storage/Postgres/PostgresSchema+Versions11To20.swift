extension PostgresSchema {
    // Version 11 adds `bot_calls`: the functions that bots have called, with their users and outcomes (`BotCall`). `key` deduplicates
    // calls. New rows come before everything else that a transaction locks, in the order of `key`; a transaction that locks several
    // existing rows does so in the order of `number`, or passes over those that are locked. Lists read the table by time, by person or by
    // outcome; the last index also finds what is given up and deleted.
    //
    // Version 12 gives hexadecimal push tokens one form, lower case (`PushToken`). Of several devices with one token the one seen last
    // keeps it, and the others become tombstones.
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
    // `issued_at` in seconds, by the clock of the backend that minted the key, or without a key the moment of the registration; 0 for
    // devices that an older version has inserted. One that an older version registers again keeps the key of the row. They have no index: a
    // revocation of a key, a key id or an app walks through the app's devices in steps, and an index would make every registration slower.
    //
    // Version 16 has `swept` of a revocation say that it has looked at all of them, and `devices_removed` how many it has signed out.
    // Earlier revocations are marked as swept: comments pass over the devices that they cover, whose rows stay until they register. Those
    // that an older version adds during the update are looked at. A revocation locks the row of `revocation_versions` before that of its
    // person, which registrations and webhooks lock before they ask for the version.
    //
    // Version 17 adds the index by which the revocations of one app are listed.
    //
    // Version 18 adds `dead_counts`: how many deliveries of a notifier and an app are dead for a reason, as the sum of rows. Triggers
    // count, so that what an older version ends or deletes is counted, too. They only add rows: replicas that end deliveries of one
    // notifier never wait for each other, and heartbeats sum the rows up. They run for rows that become dead or cease to be, and for no
    // others. The first trigger locks `deliveries` until the existing rows are counted.
    //
    // Version 19 adds `deliveries_dead_groups`, with which the oldest and the newest of each are found.
    //
    // Version 20 adds `user_questions`: what one replica asks the others about a user, a row for each of them, which it answers in that
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
