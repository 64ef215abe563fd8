import Testing

@testable import AFCDiscovery

/// Reads every prefix of a text, which must not crash.
func readEveryPrefix(
    _ recipe: Recipe,
    of text: String,
    _ type: String = "text/javascript",
    as destination: Destination? = .script,
    at url: String
) throws {
    let bytes = Array(text.utf8)
    for count in 0...bytes.count {
        _ = try FoundByRecipes(recipe, in: Array(bytes[..<count]), type, as: destination, at: url)
    }
}
