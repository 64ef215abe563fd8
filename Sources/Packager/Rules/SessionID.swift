/// What servers put into URLs to know a reader again who takes no cookies.
enum SessionID {
    /// Whether a parameter is one: by its name, or by a common name together with a value that nobody would write.
    static func isOne(name: String, value: String) -> Bool {
        let name = name.lowercased()
        if names.contains(name) || name.hasPrefix("aspsessionid") { return !value.isEmpty }
        return commonNames.contains(name) && isRandom(value)
    }

    /// Whether a text is 16 or more letters and digits, both among them.
    private static func isRandom(_ value: String) -> Bool {
        var digits = 0
        var letters = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): letters += 1
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): continue
            default: return false
            }
        }
        return digits + letters >= 16 && digits >= 2 && letters >= 2
    }

    private static let names: Set<String> = [
        "phpsessid", "phpsessionid", "jsessionid", "sessionid", "session_id", "sessid", "oscsid", "zenid", "cftoken",
        "asp.net_sessionid",
    ]
    private static let commonNames: Set<String> = ["sid", "s", "session", "cfid", "ssid", "xtcsid"]
}
