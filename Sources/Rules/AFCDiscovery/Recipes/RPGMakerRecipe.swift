internal import AFCURL

/// Reads the data, pictures and sounds that games of RPG Maker MV and MZ load by their names.
///
/// `js/rpg_managers.js` (MV) or `js/rmmz_managers.js` (MZ) loads the files of `data/`, of which each names more:
/// `"characterName": "Actor1"` is `img/characters/Actor1.png`, and commands of events have the names at known places among
/// their parameters. Names are encoded as by `encodeURIComponent`.
enum RPGMakerRecipe: RecipeReader {
    /// The most files that one data file names.
    private static let limit = 4_096

    /// The data files of all games; those of maps are listed in `MapInfos.json`.
    private static let files = [
        "Actors", "Classes", "Skills", "Items", "Weapons", "Armors", "Enemies", "Troops", "States", "Animations",
        "Tilesets", "CommonEvents", "System", "MapInfos",
    ]
    /// The pictures that programs load themselves.
    private static let system = [
        "Window", "IconSet", "Balloon", "ButtonSet", "Damage", "GameOver", "Loading", "Shadow1", "Shadow2", "States",
        "Weapons1", "Weapons2", "Weapons3",
    ]
    /// The folders of pictures, by the members that have their names.
    private static let pictures = [
        "characterName": "img/characters", "faceName": "img/faces", "parallaxName": "img/parallaxes",
        "battleback1Name": "img/battlebacks1", "battleback2Name": "img/battlebacks2", "title1Name": "img/titles1",
        "title2Name": "img/titles2", "tilesetNames": "img/tilesets", "animation1Name": "img/animations",
        "animation2Name": "img/animations",
    ]
    /// The folders of sounds, by the members whose objects have their names.
    private static let sounds = [
        "bgm": "bgm", "bgs": "bgs", "me": "me", "se": "se", "battleBgm": "bgm", "titleBgm": "bgm", "victoryMe": "me",
        "defeatMe": "me", "gameoverMe": "me", "sounds": "se",
    ]
    /// The folders of sounds, by the commands whose parameter has their names.
    private static let playing = [
        132: "bgm", 133: "me", 139: "me", 140: "bgm", 241: "bgm", 245: "bgs", 249: "me", 250: "se", 44: "se",
    ]
    /// The folders of pictures, by the commands, and the places of the names among their parameters.
    private static let showing: [Int: [Int: String]] = [
        41: [0: "img/characters"], 101: [0: "img/faces"], 231: [1: "img/pictures"],
        283: [0: "img/battlebacks1", 1: "img/battlebacks2"], 284: [0: "img/parallaxes"],
        322: [1: "img/characters", 3: "img/faces", 5: "img/sv_actors"], 323: [1: "img/characters"],
    ]

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        switch script.name {
        case "rpg_managers.js", "rmmz_managers.js":
            for name in files { found.add("../data/\(name).json", .other) }
            for name in system { found.addGuess("../img/system/\(name).png", .image) }
        case "plugins.js": plugins(script.text, &found)
        default: break
        }
    }

    /// Reads `var $plugins = [{"name":"A","status":true,…}, …]`.
    private static func plugins(_ text: ScanBuffer, _ found: inout RecipeReferences) {
        guard let mark = text.position(of: "$plugins") else { return }
        let start = text.find(UInt8(ascii: "["), from: mark)
        var walk = Walk(ScanBuffer(text.slice(start..<text.count)))
        var name: String?
        walk.forEach { place in
            guard place.depth == 2 else { return }
            if place.key == "name" { name = place.text }
            guard place.key == "status", place.scalar == "true", let plugin = name else { return }
            found.addGuess("plugins/\(encoded(plugin)).js", .script, limit: limit)
        }
    }

    static func reads(dataAt url: WebURL) -> Bool {
        guard url.path.hasSuffix("/data/" + url.lastSegment), url.lastSegment.hasSuffix(".json") else { return false }
        let name = url.lastSegment.dropLast(5)
        return files.contains { $0 == name } || name.hasPrefix("Map") && Int(name.dropFirst(3)) != nil
    }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        var walk = Walk(data.text)
        let isMapList = data.name == "MapInfos.json"
        walk.forEach { place in
            if isMapList {
                // The number of a map is its place in the list.
                guard place.depth == 2, place.key == "id", let id = place.scalar.flatMap({ Int($0) }), id > 0 else {
                    return
                }
                let digits = String(id)
                found.add("Map\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits).json", .other)
                return
            }
            guard let name = place.text, !name.isEmpty else { return }
            for address in addresses(of: name, place, in: data.name) {
                found.addGuess("../" + address, .other, at: place.offset, limit: limit)
            }
        }
    }

    /// Returns the addresses of what a text names, relative to the game.
    private static func addresses(of name: String, _ place: Walk.Place, in file: Substring) -> [String] {
        let name = encoded(name)
        if place.key == "name", let folder = place.owner.flatMap({ sounds[$0] }) {
            return ["audio/\(folder)/\(name).ogg"]
        }
        if place.key == "name", place.owner == "parameters", let folder = place.code.flatMap({ playing[$0] }) {
            return ["audio/\(folder)/\(name).ogg"]
        }
        if place.key == "parameters", let code = place.code, let index = place.index {
            if code == 261, index == 0 { return ["movies/\(name).webm"] }
            return showing[code]?[index].map { ["\($0)/\(name).png"] } ?? []
        }
        if place.key == "mainFontFilename" || place.key == "numberFontFilename" { return ["fonts/\(name)"] }
        if place.key == "effectName" { return ["effects/\(name).efkefc"] }
        if place.key == "battlerName" {
            switch file {
            case "Actors.json": return ["img/sv_actors/\(name).png"]
            case "Enemies.json": return ["img/enemies/\(name).png", "img/sv_enemies/\(name).png"]
            default: return []
            }
        }
        return pictures[place.key].map { ["\($0)/\(name).png"] } ?? []
    }

    private static func encoded(_ name: String) -> String { PercentEncodeSet.component.encode(name) }

    /// A walk through JSON, which knows of each text where it is.
    private struct Walk {
        /// The place of a text, number or word.
        struct Place {
            /// The key of the value, or of the list in which it is.
            var key: String
            /// The key of the object in which it is, or of the list in which the object is.
            var owner: String?
            /// The member `code` of the object in which it is, or of the one around that.
            var code: Int?
            /// The place in a list, from 0.
            var index: Int?
            /// The number of objects and lists around it.
            var depth: Int
            var offset: Int
            /// The text; nil for a number or word.
            var text: String?
            /// The number or word; nil for a text.
            var scalar: String?
        }

        private struct Frame {
            var key: String?
            var index: Int?
            var code: Int?
        }

        private var scanner: JSONScanner
        private let bytes: ScanBuffer

        init(_ bytes: ScanBuffer) { (self.bytes, scanner) = (bytes, JSONScanner(bytes)) }

        /// Calls a body for each text, number and word, up to the first error.
        mutating func forEach(_ body: (Place) -> Void) {
            var frames: [Frame] = []
            var before = 0
            // What follows the value, such as the rest of a script, is an error.
            while let token = try? scanner.next() {
                if token != .key, token != .objectEnd, token != .arrayEnd, let index = frames.last?.index {
                    frames[frames.count - 1].index = index + 1
                }
                switch token {
                case .key: frames[frames.count - 1].key = bytes.string(scanner.range)
                case .objectStart: frames.append(Frame())
                case .arrayStart: frames.append(Frame(key: frames.last?.key, index: -1))
                case .objectEnd, .arrayEnd: frames.removeLast()
                case .string:
                    guard let text = JavaScriptText.string(bytes, scanner.range) else { break }
                    body(place(frames, scanner.range.lowerBound, text, nil))
                case .scalar:
                    let value = bytes.string(before..<scanner.position).trimmingPrefix { ": ,\t\r\n".contains($0) }
                    if frames.last?.key == "code", frames.last?.index == nil {
                        frames[frames.count - 1].code = Int(value)
                    }
                    body(place(frames, before, nil, String(value)))
                }
                before = scanner.position
            }
        }

        private func place(_ frames: [Frame], _ offset: Int, _ text: String?, _ scalar: String?) -> Place {
            let outer = frames.dropLast()
            return Place(
                key: frames.last?.key ?? "",
                owner: outer.last?.key,
                code: frames.suffix(3).reversed().lazy.compactMap(\.code).first,
                index: frames.last?.index,
                depth: frames.count,
                offset: offset,
                text: text,
                scalar: scalar
            )
        }
    }
}
