/// The longest waits of tests. A wait that reaches its limit fails its test, so a long limit costs a passing run nothing.
package enum WaitLimit {
    /// For an event, on a machine of any load.
    package static let milliseconds: UInt64 = 120_000
    /// For a whole program, which may be built with a sanitizer and start among many others.
    package static let programMilliseconds: UInt64 = 300_000
}
