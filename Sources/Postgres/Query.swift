internal import CPostgres

/// One SQL statement with its values.
package struct Query: Sendable {
    let sql: StaticString
    let parameters: [Parameter]

    /// - Parameters:
    ///   - sql: one statement without a semicolon, as a literal, so that values cannot become part of it; never BEGIN, COMMIT or ROLLBACK,
    ///     which `Connection.transaction` sends.
    ///   - parameters: the values of `$1`, `$2` … in order.
    package init(_ sql: StaticString, _ parameters: Parameter...) { self.init(sql, parameters) }

    package init(_ sql: StaticString, _ parameters: [Parameter]) {
        precondition(sql.hasPointerRepresentation, "SQL is a text")
        self.sql = sql
        self.parameters = parameters
    }

    static let commit = Query("COMMIT")
    static let rollback = Query("ROLLBACK")

    /// Identifies prepared statements: the address of the SQL in the program, and the types of its parameters.
    var key: StatementKey { unsafe StatementKey(text: UInt(bitPattern: sql.utf8Start), types: parameters.map { $0.type }) }

    /// The description of the first value that PostgreSQL cannot store.
    var problem: String? {
        for (index, parameter) in parameters.enumerated() {
            if let problem = parameter.problem { return "parameter $\(index + 1) \(problem)" }
        }
        return nil
    }
}

struct StatementKey: Hashable {
    let text: UInt
    let types: [TypeID]
}

/// The statements that are prepared on one connection; the server deletes them when the connection ends.
struct PreparedStatements {
    private var names: [StatementKey: String] = [:]
    private var count = 0

    /// The statement's name, and whether it is new and must be prepared first.
    mutating func name(of key: StatementKey) -> (name: String, isNew: Bool) {
        if let name = names[key] { return (name, false) }
        count += 1
        let name = "deskgate_\(count)"
        names[key] = name
        return (name, true)
    }

    /// Removes a statement that could not be prepared, or that the server no longer has or accepts; it gets another name.
    mutating func forget(_ key: StatementKey) {
        names[key] = nil
    }
}

extension Query {
    /// Sends the SQL to be prepared; returns false when the connection fails.
    func sendPrepare(_ handle: OpaquePointer, name: String) -> Bool {
        let types = parameters.map { $0.type.oid }
        return unsafe PQsendPrepare(handle, name, text, Int32(types.count), types) == 1
    }

    /// Sends the values, and the SQL unless it is prepared; requests binary results. Returns false when the connection fails.
    func send(_ handle: OpaquePointer, name: String?) -> Bool {
        unsafe withValues { values, lengths, formats in
            let count = Int32(parameters.count)
            if let name { return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1 }
            let types = parameters.map { $0.type.oid }
            return unsafe PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
        }
    }

    private var text: UnsafePointer<CChar> { unsafe UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self) }

    /// Calls `body` with the values in C's layout: all in one block of memory, with room for each that is not NULL.
    private func withValues(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Bool) -> Bool {
        var block: [UInt8] = []
        block.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        for parameter in parameters { block += parameter.bytes ?? [] }
        // An empty value needs an address, too, because a null pointer means NULL.
        block.append(0)
        return unsafe block.withUnsafeBytes { bytes in
            var next = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let values = unsafe parameters.map { parameter -> UnsafePointer<CChar>? in
                guard let count = parameter.bytes?.count else { return nil }
                defer { unsafe next = next.map { unsafe $0 + count } }
                return unsafe next
            }
            let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
            return unsafe body(values, lengths, [Int32](repeating: 1, count: parameters.count))
        }
    }
}
