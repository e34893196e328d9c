extension Migrations {
    // Version 11 prefixes `deliveries_due` with the app, so that a claim finds each app's due deliveries at once, for any backlog of
    // another app. It appends `app` to `stories`.
    //
    // Version 12 adds the facts about the key with which a device registered (`KeyClaims`), so that a revocation finds the device:
    // `issued_at` in seconds, by the clock of the backend that minted the key, or without a key the time of the registration; 0 for earlier
    // devices. They have no index: a revocation of a key, a key id or an app scans the app's devices in steps, and an index would slow down
    // every registration. `swept` of a revocation is 1 when all devices were checked, and `devices_removed` is the number of signed-out
    // devices. Earlier revocations are marked as swept: comments skip the devices that they cover, whose rows stay until they register.
    //
    // Version 13 adds the index for listing the revocations of one app.
    //
    // Version 14 adds `dead_counts`: the number of dead deliveries of a notifier and an app by reason. Triggers count, so that every
    // statement that changes a delivery updates the count. They run only for rows that become dead or stop being dead. A row whose count is
    // 0 stays: there are few notifiers, apps and reasons. `deliveries_dead_groups` is an index for the oldest and the newest delivery of
    // each group.
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
