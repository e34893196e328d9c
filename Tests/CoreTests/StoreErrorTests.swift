import Core
import Testing

@Suite struct StoreErrorTests {
    @Test func `a line for operators has the cause and then the remedy`() {
        #expect(StoreError(.diskFull, "no room", remedy: "free space").description == "no room; free space")
        #expect(StoreError(.unavailable, "away").description == "away")
    }
}
