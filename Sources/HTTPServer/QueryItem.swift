/// One `name=value` part of a request's query. `+` is decoded to a space; percent escapes are not decoded.
package struct QueryItem: Sendable, Equatable {
    /// The bytes before `=`.
    package let name: [UInt8]
    /// The bytes after `=`; also empty when there is no `=`.
    package let value: [UInt8]

    /// Makes a part; for servers and in-process clients.
    package init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
