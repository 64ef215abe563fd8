/// Reads the path of the search index of dartdoc (5 to 9), which is in the site's root.
///
/// Not found: the sidebars. Their links are relative to the site's root, not to their own URLs, so that reading such a
/// page would lead to others that don't exist.
enum DartdocRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard page.loadsScript(withSuffix: "static-assets/docs.dart.js"),
            let place = page.text.position(of: "data-using-base-href")
        else { return }
        let body = TagText(page.text, around: place)
        let usesBase = body.value(of: "data-using-base-href") == "true"
        let root = usesBase ? "" : body.value(of: "data-base-href") ?? ""
        found.add(root + "index.json", .other, at: place)
    }
}
