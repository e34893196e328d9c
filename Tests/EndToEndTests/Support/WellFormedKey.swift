/// A well-formed security key with a MAC of zeros, which is never valid.
let wellFormedKey = "dgk1." + "AAAAAAEAaVW5AABpfUYA" + String(repeating: "A", count: 64)
