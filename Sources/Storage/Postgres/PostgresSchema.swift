/// The steps that bring a database to the present schema, in order; a step never changes once it has been released.
///
/// A step only adds, so that processes of the previous version continue to work beside it during a rolling update.
enum PostgresSchema {
    /// The present schema's version: how many steps have been taken.
    static var latest: Int { steps.count }

    // Rows that change often leave room for their next version on the same page (fillfactor), and are vacuumed early.
    static let steps: [[StaticString]] = version1 + versions2To10 + versions11To20
}
