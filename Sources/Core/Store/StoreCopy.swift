/// How far a copy of one store into another has come.
package struct StoreCopyProgress: Sendable, Equatable {
    /// The table that is being copied.
    package let table: String
    /// How many of its rows the target has by now.
    package let copied: Int
    /// How many rows of it the source has.
    package let total: Int

    package init(table: String, copied: Int, total: Int) {
        self.table = table
        self.copied = copied
        self.total = total
    }
}

/// What a complete copy of one store into another holds.
package struct StoreCopyReport: Sendable, Equatable {
    /// How many rows of a table both stores have.
    package struct Table: Sendable, Equatable {
        package let name: String
        /// As many at both sides.
        package let rows: Int

        package init(name: String, rows: Int) {
            self.name = name
            self.rows = rows
        }
    }

    /// Every table that is copied, in the order of copying.
    package let tables: [Table]
    /// Whether an earlier call had begun, or even completed, this copy.
    package let isContinued: Bool

    package init(tables: [Table], isContinued: Bool) {
        self.tables = tables
        self.isContinued = isContinued
    }

    /// How many rows of all tables.
    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
