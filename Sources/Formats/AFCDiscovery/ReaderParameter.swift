/// Reader parameters: parameters of URLs that say who reads, and not what.
///
/// A crawl that asks for it drops them, and lint tells of them; both look here.
public enum ReaderParameter {
    /// Names of parameters that tell a site where its reader came from; a `*` at the end is any text.
    public static let tracking = [
        "utm_*", "mtm_*", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid",
        "piwik_*", "matomo_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid",
        "srsltid", "_ga", "_gl", "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "igshid", "igsh", "msclkid",
        "twclid", "ttclid", "li_fat_id", "epik", "yclid", "ysclid", "_openstat", "mc_cid", "mc_eid", "mkt_tok",
        "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsCtaTracking", "oly_anon_id", "oly_enc_id", "vero_id",
        "vero_conv", "rb_clickid", "ScCid", "wickedid", "s_kwcid", "ef_id", "irclickid", "_branch_match_id", "wt_mc",
        "wt_zmc",
    ]
    /// Names of parameters that are or may be the id of a session, in lower case; a `*` at the end is any text.
    public static let session = sessionNames + commonNames

    /// Names that nothing else has.
    private static let sessionNames = [
        "phpsessid", "phpsessionid", "jsessionid", "sessionid", "session_id", "sessid", "oscsid", "zenid", "cftoken",
        "asp.net_sessionid", "aspsessionid*",
    ]
    /// Names that other things have, too.
    private static let commonNames = ["sid", "s", "session", "cfid", "ssid", "xtcsid"]

    private static let exactTracking = NamePatterns(tracking)
    private static let lowercasedTracking = NamePatterns(tracking.map { $0.lowercased() })
    private static let certainSession = NamePatterns(sessionNames)
    private static let commonSession = NamePatterns(commonNames)

    /// Whether a parameter of a query tells a site where its reader came from.
    ///
    /// - Parameters:
    ///   - name: Its name, decoded.
    ///   - ignoresCase: Whether it may be written in another case than sites write it in.
    /// - Returns: Whether it is one.
    public static func isTracking(_ name: String, ignoresCase: Bool = false) -> Bool {
        ignoresCase ? lowercasedTracking.match(name.lowercased()) : exactTracking.match(name)
    }

    /// Whether a parameter of a query or path is the id of a session, which servers put into URLs to know a reader again
    /// who takes no cookies.
    ///
    /// It is one by its name, in any case, or by a common name together with a value that nobody would write.
    ///
    /// - Parameters:
    ///   - name: Its name, decoded.
    ///   - value: Its value, as written.
    /// - Returns: Whether it is one; never where the value is empty.
    public static func isSession(_ name: String, value: String) -> Bool {
        let name = name.lowercased()
        if certainSession.match(name) { return !value.isEmpty }
        return commonSession.match(name) && isRandom(value, least: 16, each: 2, signs: "-_.")
    }

    /// Tells whether a text is what programs make up and nobody writes: many letters and digits, with certain signs between them.
    ///
    /// - Parameters:
    ///   - value: The text.
    ///   - least: The fewest letters and digits.
    ///   - each: The fewest letters, and the fewest digits.
    ///   - signs: What else it may have.
    /// - Returns: Whether it is one.
    package static func isRandom(_ value: String, least: Int, each: Int, signs: String) -> Bool {
        var digits = 0
        var letters = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): letters += 1
            default: if !signs.utf8.contains(byte) { return false }
            }
        }
        return digits + letters >= least && digits >= each && letters >= each
    }
}

/// Names, and beginnings of names.
private struct NamePatterns {
    private let names: Set<String>
    private let prefixes: [String]

    init(_ patterns: [String]) {
        names = Set(patterns.filter { !$0.hasSuffix("*") })
        prefixes = patterns.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    }

    func match(_ name: String) -> Bool { names.contains(name) || prefixes.contains(where: name.hasPrefix) }
}
