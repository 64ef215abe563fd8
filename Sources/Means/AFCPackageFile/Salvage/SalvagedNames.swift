internal import AFCPackageFormat
internal import AFCZip

/// The members of a salvaged archive, by the names that a manifest may use for them.
///
/// Names are only looked up and never become file names, so a wrong guess at odd bytes does no harm.
struct SalvagedNames {
    /// The reason why a name can't be used.
    enum Refusal: Equatable {
        /// The name contains `..`, or consists only of dots and slashes.
        case leavesFolder
    }

    private var places: [String: Int] = [:]
    /// The folder in the archive that contains the package, with its slash; empty if it is at the root.
    private(set) var prefix = ""
    /// The repaired names of members.
    private(set) var repaired: [String] = []
    /// The members without a usable name, and the reasons.
    private(set) var refused: [(name: String, reason: String)] = []
    /// The names in the order of the members; nil for a member without a usable name.
    private(set) var names: [String?] = []

    init(_ members: [SalvagedArchive.Found]) {
        for (index, found) in members.enumerated() { add(found, index) }
        findPrefix()
    }

    /// Returns the member with a name from an entry.
    func index(of name: String) -> Int? {
        if let place = places[prefix + name] { return place }
        // An entry may have the same odd name as the member.
        return Self.plain(name).flatMap { places[prefix + $0] }
    }

    /// Returns the names below a folder, with their members.
    func members(below folder: String) -> [(name: String, index: Int)] {
        places.filter { $0.key.hasPrefix(prefix + folder) }
            .map { (String($0.key.dropFirst(prefix.count)), $0.value) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private mutating func add(_ found: SalvagedArchive.Found, _ index: Int) {
        names.append(nil)
        guard !found.member.isDirectory else { return }
        let texts = Self.texts(found.name)
        guard let name = texts.first.flatMap(Self.plain) else {
            refused.append((found.member.name, "would be outside the package's folder"))
            return
        }
        names[index] = name
        if Array(name.utf8) != found.name { repaired.append(name) }
        // If two members have the same name, programs that unpack archives keep the later one.
        if let other = places.updateValue(index, forKey: name) {
            refused.append((name, "occurs twice; the later one is used"))
            names[other] = nil
        }
        for text in texts.dropFirst() {
            if let other = Self.plain(text), places[other] == nil { places[other] = index }
        }
    }

    /// Finds the package if it was zipped with its folder.
    private mutating func findPrefix() {
        guard places[PackageLayout.manifest] == nil else { return }
        let candidates = places.keys.filter { $0.hasSuffix("/" + PackageLayout.manifest) && !$0.hasPrefix("__MACOSX/") }
        func depth(_ name: String) -> Int { name.utf8.count { $0 == UInt8(ascii: "/") } }
        guard let best = candidates.min(by: { (depth($0), $0) < (depth($1), $1) }) else { return }
        prefix = String(best.dropLast(PackageLayout.manifest.utf8.count))
    }

    /// Returns the possible readings of a name: UTF-8, or else Latin-1 as old systems wrote it, or DOS's code page 437.
    private static func texts(_ bytes: [UInt8]) -> [String] {
        if let text = String(validating: bytes, as: UTF8.self) { return [text] }
        let latin = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let dos = String(
            String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : codePage437[Int($0) - 0x80] })
        )
        return [latin, dos]
    }

    private static let codePage437 = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars
    )

    /// Returns a name with slashes, without empty parts, `.` and drive letters; nil if it is outside the folder.
    static func plain(_ name: String) -> String? {
        var parts = name.split { $0 == "/" || $0 == "\\" }.filter { $0 != "." }
        if let first = parts.first, first.utf8.count == 2, first.hasSuffix(":") { parts.removeFirst() }
        guard !parts.isEmpty, !parts.contains("..") else { return nil }
        return parts.joined(separator: "/")
    }
}
