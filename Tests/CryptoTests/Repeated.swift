/// `count` times the same byte, as the RFCs write their keys and messages.
func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
}
