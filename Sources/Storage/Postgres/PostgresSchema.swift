/// The migrations to the current schema, in order; a released migration never changes.
///
/// A migration only adds, so that processes of the previous version continue to work during a rolling update.
enum PostgresSchema {
    /// The current schema's version: the number of migrations.
    static var latest: Int { steps.count }

    // Frequently changed rows leave room for their next version on the same page (fillfactor), and are vacuumed early.
    static let steps: [[StaticString]] = version1 + versions2To10 + versions11To20
}
