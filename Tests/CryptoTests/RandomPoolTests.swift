import Bytes
import Crypto
import TestSupport
import Testing
import Threading

@Suite struct RandomPoolTests {
    @Test func `does not repeat across blocks`() throws {
        let pool = RandomPool()
        var seen: Set<String> = []
        for _ in 0..<2000 { seen.insert(Hexadecimal.text(try pool.tenBytes().span)) }
        #expect(seen.count == 2000)
    }

    @Test func `varies in every byte`() throws {
        let pool = RandomPool()
        var touched = InlineArray<10, UInt8>(repeating: 0)
        for _ in 0..<20 {
            let bytes = try pool.tenBytes()
            for index in bytes.indices { touched[index] |= bytes[index] }
        }
        for index in touched.indices { #expect(touched[index] != 0) }
    }

    @Test func `does not repeat across threads`() {
        let pool = RandomPool()
        let seen = Monitor(Set<String>())
        onThreads(4) { _ in
            for _ in 0..<1000 {
                guard let bytes = try? pool.tenBytes() else { return }
                let text = Hexadecimal.text(bytes.span)
                seen.withLock { _ = $0.insert(text) }
            }
        }
        #expect(seen.withLock { $0.count } == 4000)
    }
}
