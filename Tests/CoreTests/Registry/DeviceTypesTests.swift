import Core
import Testing

@Suite struct DeviceTypesTests {
    @Test(arguments: [
        (DeviceTypes.all, [true, true, true, true]), (.only(["ios", "caf\u{E9}"]), [true, false, false, false]),
        (.except(["ios", "caf\u{E9}"]), [false, true, true, true]), (.only([]), [false, false, false, false]),
        (.except([]), [true, true, true, true]),
    ])
    func `contains the listed types`(_ types: DeviceTypes, _ expected: [Bool]) {
        #expect(["ios", "iOS", "cafe\u{301}", nil].map { types.contains($0) } == expected, "a kind that nobody has named is not excepted")
    }
}
