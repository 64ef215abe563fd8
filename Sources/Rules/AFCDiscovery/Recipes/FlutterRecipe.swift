internal import AFCURL

/// Reads the manifest of the assets of a Flutter application for the web.
///
/// `AssetManifest.bin.json` (Flutter 3.19 and later) is a string in JSON: the Base64 of a map in the coding of Flutter's
/// StandardMessageCodec, from the name of each asset to a list of its variants. Older releases have `AssetManifest.json`,
/// which a row of the table reads.
enum FlutterRecipe: RecipeReader {
    static func reads(dataNamed name: Substring) -> Bool { name == "AssetManifest.bin.json" }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        let start = data.text.find(UInt8(ascii: "\""), from: 0) + 1
        guard start < data.text.count else { return }
        var message = StandardMessage(bytes: data.text.base64(start..<data.text.count))
        for asset in message.assets() { found.add(asset, .other) }
    }
}

/// A value in the coding of Flutter's StandardMessageCodec, of which texts in lists and maps are read.
private struct StandardMessage {
    let bytes: [UInt8]
    private var position = 0
    private var found: [String] = []

    /// The largest number of assets.
    private static let limit = 65_536
    /// The deepest nesting of lists and maps.
    private static let maxDepth = 8

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the keys of the outermost map, and the members `asset` of the maps in it, up to the first error.
    mutating func assets() -> [String] {
        _ = read(depth: 0, isAsset: false)
        return found
    }

    /// Reads a value; returns nil if it is cut or malformed, else its text if it is one.
    private mutating func read(depth: Int, isAsset: Bool) -> String?? {
        guard depth < Self.maxDepth, found.count < Self.limit, let type = next() else { return nil }
        switch type {
        case 0, 1, 2: return .some(nil)
        case 3: return skip(4)
        case 4: return skip(8)
        case 5: return size().flatMap { skip($0) }
        case 6: return align(8) ? skip(8) : nil
        case 7:
            guard let count = size(), count <= bytes.count - position else { return nil }
            let text = String(decoding: bytes[position..<position + count], as: UTF8.self)
            position += count
            if isAsset { found.append(text) }
            return .some(text)
        case 8: return size().flatMap { skip($0) }
        case 12:
            guard let count = size(), count <= bytes.count - position else { return nil }
            for _ in 0..<count { guard read(depth: depth + 1, isAsset: false) != nil else { return nil } }
            return .some(nil)
        case 13:
            guard let count = size(), count <= bytes.count - position else { return nil }
            for _ in 0..<count {
                guard let key = read(depth: depth + 1, isAsset: depth == 0),
                    read(depth: depth + 1, isAsset: depth > 0 && key == "asset") != nil
                else { return nil }
            }
            return .some(nil)
        default: return nil
        }
    }

    private mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func skip(_ count: Int) -> String?? {
        guard count <= bytes.count - position else { return nil }
        position += count
        return .some(nil)
    }

    private mutating func align(_ size: Int) -> Bool {
        position += (size - position % size) % size
        return position <= bytes.count
    }

    /// Reads a size in one, three or five bytes.
    private mutating func size() -> Int? {
        guard let first = next() else { return nil }
        guard first >= 254 else { return Int(first) }
        var value = 0
        for shift in 0..<(first == 254 ? 2 : 4) {
            guard let byte = next() else { return nil }
            value |= Int(byte) << (8 * shift)
        }
        return value
    }
}
