internal import Observability

extension WallTime {
    /// A time in Unix milliseconds.
    init(unixMilliseconds: UInt64) {
        self.init(seconds: Int64(unixMilliseconds / 1000), milliseconds: Int(unixMilliseconds % 1000))
    }
}
