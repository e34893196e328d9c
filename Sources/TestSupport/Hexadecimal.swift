/// Lower-case hexadecimal of the bytes, two digits each, for comparison with published values.
package func hex(_ bytes: Span<UInt8>) -> String {
    var text = ""
    for index in bytes.indices {
        let byte = bytes[index]
        text += String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }
    return text
}
