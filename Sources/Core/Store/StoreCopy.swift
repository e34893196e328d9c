/// The progress of copying one store to another.
package struct StoreCopyProgress: Sendable, Equatable {
    package let table: String
    package let copied: Int
    package let total: Int

    package init(table: String, copied: Int, total: Int) {
        self.table = table
        self.copied = copied
        self.total = total
    }
}

package struct StoreCopyReport: Sendable, Equatable {
    package struct Table: Sendable, Equatable {
        package let name: String
        /// The number of rows, which is equal in both stores.
        package let rows: Int

        package init(name: String, rows: Int) {
            self.name = name
            self.rows = rows
        }
    }

    /// The tables in the order of copying.
    package let tables: [Table]
    /// Whether an earlier call began or completed this copy.
    package let isContinued: Bool

    package init(tables: [Table], isContinued: Bool) {
        self.tables = tables
        self.isContinued = isContinued
    }

    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}
