internal import Core

struct MemoryKeyUses {
    private var uses: [KeyUse.Name: KeyUse] = [:]

    mutating func record(_ use: KeyUse) {
        uses[use.name] = uses[use.name]?.merged(with: use) ?? use
    }

    var all: [KeyUse] { uses.sorted { $0.key < $1.key }.map(\.value) }
}
