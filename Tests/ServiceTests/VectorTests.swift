import Testing

@Suite struct VectorTests {
    @Test(arguments: VectorBody.allCases, VectorFixture.Transport.allCases)
    func `every vector gets its status`(encoding: VectorBody, transport: VectorFixture.Transport) throws {
        let fixture = try VectorFixture()
        #expect(fixture.vectors.count >= 104)
        let mismatches = try fixture.mismatches(encoding, transport)
        #expect(mismatches == [])
    }

    /// A device without a token is verified like a request for the chat.
    @Test(arguments: VectorBody.allCases, VectorFixture.Transport.allCases)
    func `every vector gets its status from push token`(encoding: VectorBody, transport: VectorFixture.Transport) throws {
        let fixture = try VectorFixture(path: "/pyrus/push-token", others: [("instance_id", "device-1")])
        #expect(fixture.vectors.count >= 104)
        let mismatches = try fixture.mismatches(encoding, transport)
        #expect(mismatches == [])
    }
}
