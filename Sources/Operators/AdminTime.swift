internal import Time

/// Times as operators read them.
enum AdminTime {
    /// RFC 3339 in UTC with milliseconds.
    static func text(_ unixMilliseconds: UInt64) -> String {
        WallTime(unixMilliseconds: unixMilliseconds).text
    }
}
