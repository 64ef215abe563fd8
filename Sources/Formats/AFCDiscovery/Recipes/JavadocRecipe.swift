internal import AFCURL

/// Reads the scripts and indexes that `script.js` of Javadoc (9 and later) loads for the search.
///
/// `loadScripts` names them after `pathtoroot`: `createElem(doc, tag, 'search.js')`. In Java 9 to 14, which also load
/// indexes as archives, an index without entries is missing; those of modules and tags are guesses there.
enum JavadocRecipe: RecipeReader {
    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name == "script.js", script.text.position(of: "-search-index") != nil else { return }
        let text = script.text
        // Since Java 23, the script is in a folder.
        let root = script.url.path.hasSuffix("/script-files/script.js") ? "../" : ""
        let hasArchives = text.position(of: "-search-index.zip") != nil
        var index = 0
        while let literal = next(text, &index) {
            guard let name = JavaScriptText.string(text, literal), !name.isEmpty else { continue }
            let isOptional = name.hasPrefix("module-search-index") || name.hasPrefix("tag-search-index")
            let loads: Destination = name.hasSuffix(".js") ? .script : .other
            if hasArchives, isOptional {
                found.addGuess(root + name, loads, at: literal.lowerBound)
            } else {
                found.add(root + name, loads, at: literal.lowerBound)
            }
        }
    }

    /// Returns the literal of the next call `createElem(doc, tag, '…')`, or of the next `pathtoroot + '….zip'`.
    private static func next(_ text: ScanBuffer, _ index: inout Int) -> Range<Int>? {
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "("), text.hasSuffix("createElem", at: index - 1, from: 0) {
                var quote = index
                while quote < min(text.count, index + 32), text[quote] != UInt8(ascii: "'"),
                    text[quote] != UInt8(ascii: "\""), text[quote] != UInt8(ascii: ")")
                { quote += 1 }
                if let literal = literal(text, quote) { return literal }
            } else if byte == UInt8(ascii: "+") {
                var name = index - 1
                while name > 0, text[name - 1].isSpace { name -= 1 }
                guard text.hasSuffix("pathtoroot", at: name, from: 0) else { continue }
                var quote = index
                while quote < text.count, text[quote].isSpace { quote += 1 }
                if let literal = literal(text, quote), text.string(literal).hasSuffix(".zip") { return literal }
            }
        }
        return nil
    }

    private static func literal(_ text: ScanBuffer, _ index: Int) -> Range<Int>? {
        JavaScriptText.literal(text, at: index, to: min(text.count, index + 256))
    }
}
