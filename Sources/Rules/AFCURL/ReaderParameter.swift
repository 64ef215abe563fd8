/// Reader parameters: URL parameters that identify the reader or the referring site, not the resource.
///
/// A crawl can remove them, and lint reports them; both use these lists.
package enum ReaderParameter {
    /// Names of parameters that tell a site where its reader came from; a final `*` matches any text.
    package static let tracking = [
        "utm_*", "mtm_*", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid",
        "piwik_*", "matomo_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid",
        "srsltid", "_ga", "_gl", "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "igshid", "igsh", "msclkid",
        "twclid", "ttclid", "li_fat_id", "epik", "yclid", "ysclid", "_openstat", "mc_cid", "mc_eid", "mkt_tok",
        "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsCtaTracking", "oly_anon_id", "oly_enc_id", "vero_id",
        "vero_conv", "rb_clickid", "ScCid", "wickedid", "s_kwcid", "ef_id", "irclickid", "_branch_match_id", "wt_mc",
        "wt_zmc",
    ]
    /// Names, in lower case, of parameters that are or may be session IDs; a final `*` matches any text.
    package static let session = sessionNames + commonNames

    /// Names that are only used for session IDs.
    private static let sessionNames = [
        "phpsessid", "phpsessionid", "jsessionid", "sessionid", "session_id", "sessid", "oscsid", "zenid", "cftoken",
        "asp.net_sessionid", "aspsessionid*",
    ]
    /// Names that are also used for other purposes.
    private static let commonNames = ["sid", "s", "session", "cfid", "ssid", "xtcsid"]

    private static let exactTracking = NamePatterns(tracking)
    private static let lowercasedTracking = NamePatterns(tracking.map { $0.lowercased() })
    private static let certainSession = NamePatterns(sessionNames)
    private static let commonSession = NamePatterns(commonNames)

    /// Returns true if a query parameter tells a site where its reader came from.
    ///
    /// - Parameters:
    ///   - name: The parameter's decoded name.
    ///   - ignoresCase: Whether to ignore case instead of requiring the usual spelling.
    /// - Returns: True for such a parameter.
    package static func isTracking(_ name: String, ignoresCase: Bool = false) -> Bool {
        ignoresCase ? lowercasedTracking.match(name.lowercased()) : exactTracking.match(name)
    }

    /// Returns true if a parameter is a session ID, which servers put into URLs for readers who accept no cookies.
    ///
    /// The name alone identifies it, in any case, or a common name together with a value that looks random.
    ///
    /// - Parameters:
    ///   - name: The parameter's decoded name.
    ///   - value: The parameter's value, as written.
    /// - Returns: True for a session ID; false if the value is empty.
    package static func isSession(_ name: String, value: String) -> Bool {
        let name = name.lowercased()
        if certainSession.match(name) { return !value.isEmpty }
        return commonSession.match(name) && isRandom(value, least: 16, each: 2, signs: "-_.")
    }

    /// Returns true if a text looks generated rather than written.
    ///
    /// Such a text has many letters and digits, with certain signs between them.
    ///
    /// - Parameters:
    ///   - value: The text.
    ///   - least: The smallest number of letters and digits together.
    ///   - each: The smallest number of letters, and of digits.
    ///   - signs: Other permitted characters.
    /// - Returns: True if the text looks generated.
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

/// Names and name prefixes.
private struct NamePatterns {
    private let names: Set<String>
    private let prefixes: [String]

    init(_ patterns: [String]) {
        names = Set(patterns.filter { !$0.hasSuffix("*") })
        prefixes = patterns.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
    }

    func match(_ name: String) -> Bool { names.contains(name) || prefixes.contains(where: name.hasPrefix) }
}
