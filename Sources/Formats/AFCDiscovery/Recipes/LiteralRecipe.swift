/// Reads the addresses that scripts pass literally to the functions that load a resource.
///
/// They are guesses, because such a call may never be made.
enum LiteralRecipe: RecipeReader {
    /// A function that loads the resource of its first argument.
    private struct Loader {
        /// The name before the parenthesis, with what must precede it.
        var name: StaticString
        var loads: Destination
        /// True if a script's file may pass an address relative to itself.
        var isRelativeToScript: Bool
    }

    private static let loaders = [
        Loader(name: "new Worker", loads: .script, isRelativeToScript: true),
        Loader(name: "new SharedWorker", loads: .script, isRelativeToScript: true),
        Loader(name: "importScripts", loads: .script, isRelativeToScript: true),
        Loader(name: "serviceWorker.register", loads: .script, isRelativeToScript: false),
        Loader(name: "fetch", loads: .other, isRelativeToScript: false),
    ]

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        for script in page.scripts where ScriptType(type: script.type, language: nil) != nil {
            read(page.text, script.range, isPage: true, into: &found)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        read(script.text, 0..<script.text.count, isPage: false, into: &found)
    }

    private static func read(_ text: ScanBuffer, _ range: Range<Int>, isPage: Bool, into found: inout RecipeReferences)
    {
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "("), from: index, to: range.upperBound)
            guard index + 2 < range.upperBound else { return }
            index += 1
            guard let loader = loaders.first(where: { text.hasSuffix($0.name, at: index - 1, from: range.lowerBound) }),
                let literal = JavaScriptText.literal(text, at: index, to: range.upperBound)
            else { continue }
            index = literal.upperBound
            // Others are concatenated with what follows, or aren't addresses.
            guard isEnd(text.at(index + 1)), let address = JavaScriptText.string(text, literal), isAddress(address)
            else { continue }
            if isPage || loader.isRelativeToScript || isAbsolute(address) {
                found.addGuess(address, loader.loads, at: literal.lowerBound)
            }
        }
    }

    private static func isEnd(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: ")") || byte == UInt8(ascii: ",") || byte?.isSpace == true
    }

    /// Returns true for an address with a file name, such as `/api/items.json`; others are calls of an interface.
    private static func isAddress(_ text: String) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.lastSegment.contains(".") && !text.contains(" ") && !text.contains("<")
    }

    private static func isAbsolute(_ address: String) -> Bool {
        address.hasPrefix("/") || address.hasPrefix("https://") || address.hasPrefix("http://")
    }
}
