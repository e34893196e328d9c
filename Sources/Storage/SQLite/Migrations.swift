internal import SQLite

/// The steps that migrate a file to the current schema, in order. A released step never changes.
enum Migrations {
    /// The version of the current schema: the number of steps.
    static var latest: Int32 { Int32(scripts.count) }

    private static let tokenFormsVersion = 10

    /// Runs the missing steps, each in its own transaction with its version number.
    /// - Precondition: the file's version is not newer than `latest`.
    static func run(on connection: Connection) throws(SQLiteError) {
        for step in Int(try connection.userVersion())..<scripts.count {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute(scripts[step])
                if step + 1 == tokenFormsVersion { try TokenForms.join(on: connection) }
                try connection.setUserVersion(Int32(step + 1))
            }
        }
    }

    private static let scripts: [StaticString] = version1 + versions2To10 + versions11To14
}
