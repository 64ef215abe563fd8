/// Reads the scenes of panoramas that the Marzipano Tool exports.
///
/// `data.js` has `var APP_DATA = {"scenes": [{"id": "0-hall", "levels": [{"tileSize": 512, "size": 1024}, …]}, …]}`. Each
/// scene has a preview, and each level six faces of square tiles, `tiles/ID/LEVEL/FACE/ROW/COLUMN.jpg`. A level that is a
/// fallback only has no tiles: the preview takes its place.
enum MarzipanoRecipe: RecipeReader {
    /// The largest number of tiles of all scenes.
    private static let limit = 65_536
    /// The largest number of rows of a face.
    private static let maxRows = 64
    /// The longest name of a scene, in bytes.
    private static let maxName = 200

    /// A level, as far as it is read.
    private struct Level {
        var tileSize: Int?
        var size: Int?
        var isFallback = false
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name == "data.js", let mark = script.text.position(of: "APP_DATA") else { return }
        let text = script.text
        var tokenizer = JavaScriptTokenizer(text, mark..<text.count, hasHTMLComments: true)
        var key = ""
        var isValue = false
        var scene: (id: String, levels: Int)?
        var level = Level()
        var count = 0
        while let token = tokenizer.next(all: true), count < limit {
            switch token {
            case .punctuator(let byte):
                isValue = byte == UInt8(ascii: ":")
                guard byte == UInt8(ascii: "}"), let current = scene, level.tileSize != nil else { continue }
                if !level.isFallback, let rows = rows(level) {
                    count += add(current.id, current.levels, rows, &found)
                }
                scene?.levels += 1
                level = Level()
            case .string:
                guard let string = JavaScriptText.string(text, tokenizer.range) else { continue }
                if !isValue { key = string }
                if isValue, key == "id", !string.isEmpty, string.utf8.count <= maxName {
                    scene = (string, 0)
                    found.add("tiles/\(string)/preview.jpg", .image, at: tokenizer.range.lowerBound)
                }
            case .name where isValue && key == "fallbackOnly": level.isFallback = tokenizer.isName("true")
            case .other where isValue && key == "tileSize": level.tileSize = Int(text.string(tokenizer.range))
            case .other where isValue && key == "size": level.size = Int(text.string(tokenizer.range))
            case .name, .other: break
            }
        }
    }

    /// Returns the number of rows of a level, or nil if it isn't complete.
    private static func rows(_ level: Level) -> Int? {
        guard let size = level.size, let tile = level.tileSize, size > 0, tile > 0, size / tile < maxRows else {
            return nil
        }
        return (size + tile - 1) / tile
    }

    private static func add(_ scene: String, _ level: Int, _ rows: Int, _ found: inout RecipeReferences) -> Int {
        for face in ["b", "d", "f", "l", "r", "u"] {
            for row in 0..<rows {
                for column in 0..<rows { found.add("tiles/\(scene)/\(level)/\(face)/\(row)/\(column).jpg", .image) }
            }
        }
        return 6 * rows * rows
    }
}
