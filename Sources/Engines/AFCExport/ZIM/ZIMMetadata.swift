internal import AFCHTTP
internal import AFCText
internal import AFCURL

/// The metadata of a ZIM file: entries of the namespace `M`, as https://wiki.openzim.org/wiki/Metadata names them.
struct ZIMMetadata {
    /// The names with their values.
    private(set) var entries: [(name: String, value: [UInt8])] = []

    /// The most letters of a title and of a description that readers show.
    private static let (titleLength, descriptionLength) = (30, 80)

    /// Describes sites.
    ///
    /// - Parameters:
    ///   - sites: The sites; of several, the first counts.
    ///   - name: The name of the first package; nil if it has none.
    ///   - software: The program and its version.
    ///   - counts: The number of entries by media type.
    init(_ sites: [ExportedSite], name: String?, software: String, counts: [(type: String, count: Int)]) {
        let first = sites.first
        let host = first?.url.host ?? "offline"
        let title = sites.count > 1 ? HomeParts.title(sites) : first.map(\.title) ?? ""
        let shown = title.isEmpty ? host : title
        let made = sites.map(\.made).max() ?? Timestamp(secondsSinceEpoch: 0)
        let hosts = sites.compactMap(\.url.host)
        let creators: [String] = hosts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        let language = sites.lazy.compactMap { $0.language.flatMap(Self.language) }.first ?? "und"
        set("Counter", counts.map { "\($0.type)=\($0.count)" }.joined(separator: ";"))
        set("Creator", creators.isEmpty ? host : creators.joined(separator: ";"))
        set("Date", made.day)
        let description = title.isEmpty || sites.count > 1 ? creators.joined(separator: ", ") : title
        set("Description", Self.cut(description, Self.descriptionLength, or: host))
        entries.append(("Illustration_48x48@1", Self.illustration(sites)))
        set("Language", language)
        set("Name", "\(Self.plain(name ?? host))_\(language)_all")
        set("Publisher", String(software.prefix { $0 != "/" }))
        set("Scraper", software)
        if let first { set("Source", first.url.description) }
        set("Title", Self.cut(shown, Self.titleLength, or: host))
    }

    private mutating func set(_ name: String, _ value: String) { entries.append((name, Array(value.utf8))) }

    /// Returns a text in one line, cut at a number of letters; another text for an empty one.
    private static func cut(_ text: String, _ limit: Int, or other: String) -> String {
        let line = ZIMText.line(text)
        guard !line.isEmpty else { return String(other.prefix(limit)) }
        return line.count <= limit ? line : line.prefix(limit - 1) + "…"
    }

    private static func plain(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "-" })
    }

    // MARK: Language

    /// Returns a language's code of ISO 639-3.
    static func language(_ tag: String) -> String? {
        let code = tag.lowercased().prefix { $0 != "-" && $0 != "_" }
        guard code.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        return code.count == 3 ? String(code) : longCodes[String(code)]
    }

    /// The codes of ISO 639-3, by those of ISO 639-1.
    private static let longCodes = Dictionary(
        uniqueKeysWithValues: codes.split(separator: " ").map { (String($0.prefix(2)), String($0.suffix(3))) }
    )

    private static let codes = """
        aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bibis \
        bmbam bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu \
        dvdiv dzdzo eeewe elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry \
        gagle gdgla glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina \
        idind ieile igibo iiiii ikipk ioido isisl itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz \
        klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao \
        ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt mymya nanau nbnob ndnde \
        nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs papan pipli plpol \
        pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag shhbs sisin skslk \
        slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir \
        tktuk tltgl tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol \
        wawln wowol xhxho yiyid yoyor zazha zhzho zuzul
        """

    // MARK: Illustration

    /// Returns a picture of 48 by 48 points: a site's icon that is one, else a neutral one, since readers demand one.
    private static func illustration(_ sites: [ExportedSite]) -> [UInt8] {
        let prefix = "data:image/png;base64,"
        for case let icon? in sites.map(\.icon) where icon.hasPrefix(prefix) {
            guard let image = Base64.decode(icon.dropFirst(prefix.count)), isSquare(image) else { continue }
            return image
        }
        return Base64.decode(neutral) ?? []
    }

    /// Returns true for a PNG with the right size (PNG §11.2.1).
    private static func isSquare(_ image: [UInt8]) -> Bool {
        image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) && image.count > 24
            && Array(image[16..<24]) == [0, 0, 0, 48, 0, 0, 0, 48]
    }

    private static let neutral = """
        iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAACVBMVEUAAAArX4r////WETRiAAAAAXRSTlMAQObYZgAAAEtJREFU\
        eNpjYGAIhQIGIBCFcUIYGBhD4cCBgRXBCUDliCI4IXg4oUgAgxO1CgiWUo2zFIKxcIabaWRwcMQCkdGIOx2gJBeUhIScxAAgkt+Zq+vIowAAAABJRU5ErkJggg==
        """
}

/// Texts in entries.
enum ZIMText {
    /// Returns a text in one line, without controls.
    static func line(_ text: String) -> String {
        text.split { $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.value < 0x20 || $0.value == 0x7F } }
            .joined(separator: " ")
    }
}
