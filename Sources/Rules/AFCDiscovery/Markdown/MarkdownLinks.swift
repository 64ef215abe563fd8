internal import AFCURL

/// The addresses of links and images as Markdown has them.
struct MarkdownLinks {
    /// The URL of the page; nil to keep addresses as they are.
    let url: WebURL?
    /// The URL to which addresses are relative.
    let base: WebURL?
    /// Returns what a link leads to instead; its fragment, if any, replaces that of the link.
    let replacement: ((_ url: WebURL, _ isImage: Bool) -> String?)?

    /// Returns the address as it is in Markdown; nil for one that no link can have.
    func address(_ reference: String, isImage: Bool = false) -> String? {
        let reference = Self.stripped(reference)
        guard !reference.isEmpty else { return nil }
        if reference.hasPrefix("#") { return Self.quoted(reference) }
        guard let (target, fragment) = try? WebURL.parseWithFragment(reference, base: base) else {
            return base == nil ? Self.quoted(reference) : nil
        }
        guard !Self.refused.contains(target.scheme) else { return nil }
        guard base != nil else { return Self.quoted(reference) }
        let address = replacement?(target, isImage) ?? target.description
        return Self.quoted(address.contains("#") ? address : address + (fragment.map { "#" + $0 } ?? ""))
    }

    /// The schemes of scripts, and of what isn't an address.
    private static let refused: Set<String> = ["javascript", "vbscript", "data"]

    /// Returns a reference without what the URL standard takes no notice of.
    private static func stripped(_ reference: String) -> String {
        var scalars = reference.unicodeScalars[...].drop { $0.value <= 0x20 }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars.filter { !"\t\n\r".unicodeScalars.contains($0) }))
    }

    /// Returns a destination that Markdown reads as one (CommonMark §6.3).
    private static func quoted(_ address: String) -> String {
        var text = ""
        var isOdd = false
        let scalars = address.unicodeScalars
        for (index, scalar) in zip(scalars.indices, scalars) {
            switch scalar {
            case "<": text += "%3C"
            case ">": text += "%3E"
            case "\\": text += "%5C"
            case "|": text += "%7C"
            case "`": text += "%60"
            case "&": text += isReference(scalars[index...]) ? "&amp;" : "&"
            case " ", "(", ")":
                isOdd = true
                text.unicodeScalars.append(scalar)
            case "\u{7F}": text += "%7F"
            case ..<" ": text += (scalar.value < 16 ? "%0" : "%") + String(scalar.value, radix: 16, uppercase: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return isOdd ? "<\(text)>" : text
    }

    /// Returns true if Markdown would read a `&` as the beginning of a character reference.
    private static func isReference(_ text: Substring.UnicodeScalarView) -> Bool {
        text.dropFirst().prefix(34).first { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "#": false
            default: true
            }
        } == ";"
    }
}
