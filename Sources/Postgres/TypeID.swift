/// A PostgreSQL type by its object identifier, which is the same in every database for the built-in ones (pg_type.dat).
package struct TypeID: Hashable, Sendable {
    let oid: UInt32

    /// true or false, in 1 byte.
    package static let bool = TypeID(oid: 16)
    package static let bytea = TypeID(oid: 17)
    /// A signed integer of 16 bits.
    package static let int2 = TypeID(oid: 21)
    /// A signed integer of 32 bits.
    package static let int4 = TypeID(oid: 23)
    /// A signed integer of 64 bits.
    package static let int8 = TypeID(oid: 20)
    package static let text = TypeID(oid: 25)
    /// A time, in microseconds since 2000.
    package static let timestamptz = TypeID(oid: 1184)
    /// 16 bytes.
    package static let uuid = TypeID(oid: 2950)
    static let name = TypeID(oid: 19)
    static let varchar = TypeID(oid: 1043)
    static let character = TypeID(oid: 1042)
    static let boolArray = TypeID(oid: 1000)
    static let byteaArray = TypeID(oid: 1001)
    static let int4Array = TypeID(oid: 1007)
    static let int8Array = TypeID(oid: 1016)
    static let nameArray = TypeID(oid: 1003)
    static let varcharArray = TypeID(oid: 1015)
    static let textArray = TypeID(oid: 1009)
    static let uuidArray = TypeID(oid: 2951)

    /// Whether a value of another type has the same encoding; text can be read as bytes.
    func reads(_ other: TypeID) -> Bool {
        switch self {
        case .text: other == .text || other == .varchar || other == .character || other == .name
        case .bytea: other == .bytea || TypeID.text.reads(other)
        case .textArray: other == .textArray || other == .varcharArray || other == .nameArray
        case .byteaArray: other == .byteaArray || TypeID.textArray.reads(other)
        default: self == other
        }
    }

    /// The type's name in SQL, or its number.
    var sqlName: String {
        switch self {
        case .bool: "bool"
        case .bytea: "bytea"
        case .int2: "int2"
        case .int4: "int4"
        case .int8: "int8"
        case .text: "text"
        case .timestamptz: "timestamptz"
        case .uuid: "uuid"
        case .name: "name"
        case .varchar: "varchar"
        case .boolArray: "bool[]"
        case .byteaArray: "bytea[]"
        case .int4Array: "int4[]"
        case .int8Array: "int8[]"
        case .textArray: "text[]"
        case .uuidArray: "uuid[]"
        default: "a type with the number \(oid)"
        }
    }
}

/// Microseconds from 1970 to 2000, the epoch of the protocol's timestamps.
let microsecondsBefore2000: Int64 = 946_684_800_000_000
