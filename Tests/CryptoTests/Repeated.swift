/// Returns `count` copies of a byte; the RFCs define keys and messages in this form.
func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
}
