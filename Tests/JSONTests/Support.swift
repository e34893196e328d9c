import JSON

/// Parses bytes into a value.
func value(of bytes: [UInt8], maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
    try JSONDocument(parsing: bytes.span, maximumDepth: maximumDepth).value()
}

func value(of text: String, maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
    try value(of: Array(text.utf8), maximumDepth: maximumDepth)
}

/// Returns the error for a text; nil when it is accepted.
func refusal(of bytes: [UInt8], maximumDepth: Int = 32) -> JSONError? {
    do {
        _ = try value(of: bytes, maximumDepth: maximumDepth)
        return nil
    } catch {
        return error
    }
}

/// Returns the error for a text; nil when it is accepted.
func refusal(of text: String, maximumDepth: Int = 32) -> JSONError? {
    refusal(of: Array(text.utf8), maximumDepth: maximumDepth)
}

/// A text with every kind of value.
let sampleText = #"""
    {"app_id":"shop~1-=","user_id":"caf\u00e9 \ud83d\ude00","flag":true,"off":false,"none":null,
     "numbers":[0,-1,9223372036854775807,-9223372036854775808,1.5,-2.25e-3,1E+2],
     "nested":{"empty":{},"list":[],"text":"\"\\\/\b\f\n\r\t\u0000 é 漢 😀 [{"}}
    """#
