/// One part of a request's query, `name=value`, as it was sent but for `+`, which is a space already; percent escapes are not decoded.
package struct QueryItem: Sendable, Equatable {
    /// What stands before `=`.
    package let name: [UInt8]
    /// What stands behind `=`; empty as well when there is none.
    package let value: [UInt8]

    /// Makes a part; for servers and in-process clients.
    package init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
