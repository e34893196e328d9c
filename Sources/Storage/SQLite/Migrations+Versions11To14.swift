extension Migrations {
    // Version 11 has `deliveries_due` lead by the app, too, so that a claim finds what is due for each app at once, however much waits for
    // another one. It appends `app` to `stories`.
    //
    // Version 12 adds what is known of the key with which a device registered (`KeyClaims`), so that a revocation finds the device:
    // `issued_at` in seconds, by the clock of the backend that minted the key, or without a key the moment of the registration; 0 for
    // devices of before. They have no index: a revocation of a key, a key id or an app walks through the app's devices in steps, and an
    // index would make every registration slower. `swept` of a revocation is 1 when it has looked at all of them, and `devices_removed` how
    // many it has signed out. Earlier revocations are marked as swept: comments pass over the devices that they cover, whose rows stay
    // until they register.
    //
    // Version 13 adds the index by which the revocations of one app are listed.
    //
    // Version 14 adds `dead_counts`: how many deliveries of a notifier and an app are dead for a reason. Triggers count, so that no
    // statement can change a delivery and forget the count. They run for rows that become dead or cease to be, and for no others. A row
    // whose count is 0 stays: there are few notifiers, apps and reasons. `deliveries_dead_groups` finds the oldest and the newest of each.
    static let versions11To14: [StaticString] = [
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
