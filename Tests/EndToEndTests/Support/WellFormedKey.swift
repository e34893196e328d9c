/// A security key that nobody accepts: well formed, with a MAC of zeros.
let wellFormedKey = "dgk1." + "AAAAAAEAaVW5AABpfUYA" + String(repeating: "A", count: 64)
