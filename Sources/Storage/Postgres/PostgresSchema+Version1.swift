extension PostgresSchema {
    // Version 1.
    //
    // Texts are compared as bytes (`COLLATE "C"`), times are Unix milliseconds. Apps are stored as numbers, because their names are long
    // and are part of every index. `deliveries.order_key` is a number for the event's order key (`StoreRules.orderNumber`), NULL without an
    // order; `leads` is false while an earlier pending delivery with the same notifier, app and order key exists, so that claims need not
    // skip waiting deliveries. `state` is 0 pending, 1 delivered, 2 dead, 3 without a target. `owner` is the replica that has leased a
    // delivery, so that the others can release the leases of a dead replica.
    //
    // Transactions lock the rows of `persons`, `device_calls`, `windows` and `order_heads`, in this order of tables and within each in the
    // order of its key, which prevents deadlocks. A person's row exists from the first event or registration on.
    static let version1: [[StaticString]] = [
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
        ]
    ]
}
