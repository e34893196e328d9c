struct Charset: Equatable {
    static let utf8 = Charset(name: "UTF-8")
    static let utf16LE = Charset(name: "UTF-16LE")
    static let utf16BE = Charset(name: "UTF-16BE")
    static let windows1252 = Charset(name: "CP1252")

    /// The name for iconv_open(3).
    let name: String

    private init(name: String) {
        self.name = name
    }

    /// Finds the encoding for a label in lower case; nil for a label that browsers do not support (WHATWG Encoding standard, "names and
    /// labels").
    ///
    /// Pages choose the label, so the list is restricted to browsers' labels, although the C library can convert from more encodings.
    init?(label: String) {
        guard let name = Self.names[label] else { return nil }
        self.name = name
    }

    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for (name, labels) in table {
            for label in labels.split(separator: " ") { names[String(label)] = name }
        }
        return names
    }()

    // The standard decodes ASCII and ISO 8859-1 as windows-1252, and some other encodings as their supersets.
    private static let table: [(name: String, labels: String)] = [
        ("UTF-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        ("UTF-16LE", "utf-16 utf-16le ucs-2 iso-10646-ucs-2 csunicode unicode unicodefeff"), ("UTF-16BE", "utf-16be unicodefffe"),
        (
            "CP1252",
            "windows-1252 cp1252 x-cp1252 ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 l1 cp819 ibm819"
        ), ("CP1250", "windows-1250 cp1250 x-cp1250"), ("CP1251", "windows-1251 cp1251 x-cp1251"),
        ("CP1253", "windows-1253 cp1253 x-cp1253"), ("CP1254", "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5"),
        ("CP1255", "windows-1255 cp1255 x-cp1255"), ("CP1256", "windows-1256 cp1256 x-cp1256"),
        ("CP1257", "windows-1257 cp1257 x-cp1257"), ("CP1258", "windows-1258 cp1258 x-cp1258"),
        ("CP874", "windows-874 dos-874 iso-8859-11 iso8859-11 tis-620"), ("IBM866", "ibm866 cp866 866 csibm866"),
        ("KOI8-R", "koi8-r koi8 koi8_r koi cskoi8r"), ("KOI8-U", "koi8-u koi8-ru"), ("MACINTOSH", "macintosh mac x-mac-roman csmacintosh"),
        ("MAC-CYRILLIC", "x-mac-cyrillic x-mac-ukrainian"), ("ISO-8859-2", "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2"),
        ("ISO-8859-3", "iso-8859-3 iso8859-3 latin3 l3"), ("ISO-8859-4", "iso-8859-4 iso8859-4 latin4 l4"),
        ("ISO-8859-5", "iso-8859-5 iso8859-5 cyrillic"), ("ISO-8859-6", "iso-8859-6 iso8859-6 arabic"),
        ("ISO-8859-7", "iso-8859-7 iso8859-7 greek greek8"), ("ISO-8859-8", "iso-8859-8 iso8859-8 hebrew iso-8859-8-i logical"),
        ("ISO-8859-10", "iso-8859-10 iso8859-10 latin6 l6"), ("ISO-8859-13", "iso-8859-13 iso8859-13"),
        ("ISO-8859-14", "iso-8859-14 iso8859-14"), ("ISO-8859-15", "iso-8859-15 iso8859-15 latin9 l9"), ("ISO-8859-16", "iso-8859-16"),
        ("GB18030", "gb18030 gbk gb2312 gb_2312-80 x-gbk chinese csgb2312 iso-ir-58"),
        ("BIG5-HKSCS", "big5 big5-hkscs cn-big5 x-x-big5 csbig5"),
        ("EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese"),
        ("CP932", "shift_jis shift-jis sjis x-sjis windows-31j ms_kanji csshiftjis ms932"),
        ("ISO-2022-JP", "iso-2022-jp csiso2022jp"), ("UHC", "euc-kr cseuckr ks_c_5601-1987 korean ksc5601 windows-949"),
    ]
}
