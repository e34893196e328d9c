package struct StoreCopyProgress: Sendable, Equatable {
    package let table: String
    /// The number of rows that the target has.
    package let copied: Int
    /// The number of rows that the source has.
    package let total: Int

    package init(table: String, copied: Int, total: Int) {
        self.table = table
        self.copied = copied
        self.total = total
    }
}

package struct StoreCopyReport: Sendable, Equatable {
    /// The number of a table's rows, equal in both stores.
    package struct Table: Sendable, Equatable {
        package let name: String
        /// The same in both stores.
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

    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
