internal import AFCURL

/// A bundler, site generator or library that loads resources by a table of its own.
///
/// HTML names only the first scripts of such a site. The tables in these scripts, in the page or in data files name the
/// rest. A recipe reads one kind of table; docs/explanation/sites.md lists the releases with which each was tested.
///
/// Most recipes are rows of a ``RecipeTable``. Those listed here have readers of their own, because a row can't say what
/// they read.
public struct Recipe: Hashable, Sendable {
    /// The name, which reports show.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The style sheets and assets that scripts of Vite name.
    static let vite = Recipe("vite")
    /// The files of builds and data of pages of Nuxt.
    static let nuxt = Recipe("nuxt")
    /// The manifest of routes of React Router and Remix, and the data of their pages.
    static let reactRouter = Recipe("react-router")
    /// The data of pages of SvelteKit.
    static let svelteKit = Recipe("sveltekit")
    /// The scripts and style sheets in the runtimes of webpack and Rspack.
    static let webpack = Recipe("webpack")
    /// The scripts, styles and data that the tables of Next.js name.
    static let next = Recipe("next")
    /// The scripts of page templates and the data of pages in Gatsby.
    static let gatsby = Recipe("gatsby")
    /// The addresses in the assemblies of Blazor's applications.
    static let blazor = Recipe("blazor")
    /// The data, pictures and sounds of games of RPG Maker.
    static let rpgMaker = Recipe("rpg-maker")
    /// The files that service workers store, by the lists of Workbox, sw-precache and Angular, and by `addAll`.
    static let precache = Recipe("precache")
    /// The data of pages of Swift-DocC, and the pages that it names.
    static let docC = Recipe("docc")
    /// The tiles of panoramas of the Marzipano Tool.
    static let marzipano = Recipe("marzipano")
    /// The assets of Flutter applications.
    static let flutter = Recipe("flutter")
    /// The routes of applications, which no page needs to link to.
    static let routes = Recipe("routes")
    /// The search of MkDocs and of Material for MkDocs.
    static let mkDocs = Recipe("mkdocs")
    /// The search of Sphinx.
    static let sphinx = Recipe("sphinx")
    /// The index of searches in Docusaurus.
    static let localSearch = Recipe("local-search")
    /// The search and settings of rustdoc.
    static let rustdoc = Recipe("rustdoc")
    /// The search and navigation of Doxygen.
    static let doxygen = Recipe("doxygen")
    /// The index of a search with Pagefind.
    static let pagefind = Recipe("pagefind")

    /// The version of all recipes together, which changes with what they find.
    ///
    /// A crawl that another version found is neither resumed nor taken for up to date.
    public static let version = 11

    /// The recipes with readers of their own.
    private static var readers: [(recipe: Recipe, reader: any RecipeReader.Type)] {
        [
            (.vite, ViteRecipe.self),
            (.nuxt, NuxtRecipe.self),
            (.reactRouter, ReactRouterRecipe.self),
            (.svelteKit, SvelteKitRecipe.self),
            (.webpack, WebpackRecipe.self),
            (.next, NextRecipe.self),
            (.gatsby, GatsbyRecipe.self),
            (.docC, DocCRecipe.self),
            (.flutter, FlutterRecipe.self),
            (.marzipano, MarzipanoRecipe.self),
            (.rpgMaker, RPGMakerRecipe.self),
            (.blazor, BlazorRecipe.self),
            (.precache, PrecacheRecipe.self),
            (.routes, RouteRecipe.self),
            (.mkDocs, MkDocsRecipe.self),
            (.sphinx, SphinxRecipe.self),
            (.localSearch, LocalSearchRecipe.self),
            (.rustdoc, RustdocRecipe.self),
            (.doxygen, DoxygenRecipe.self),
            (.pagefind, PagefindRecipe.self),
        ]
    }
}

/// A reader of one kind of table.
///
/// Each function gets only texts that discovery reads anyway. It must take linear time, and read nothing twice.
protocol RecipeReader {
    /// Reads a page.
    static func read(_ page: RecipePage, into found: inout RecipeReferences)
    /// Reads a script's file.
    static func read(_ script: RecipeScript, into found: inout RecipeReferences)
    /// Returns true if the recipe reads data files of a name.
    static func reads(dataNamed name: Substring) -> Bool
    /// Returns true if the recipe reads the data file at a URL.
    static func reads(dataAt url: WebURL) -> Bool
    /// Reads a data file.
    static func read(_ data: RecipeData, into found: inout RecipeReferences)
}

extension RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {}
    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {}
    static func reads(dataNamed name: Substring) -> Bool { false }
    static func reads(dataAt url: WebURL) -> Bool { reads(dataNamed: url.lastSegment) }
    static func read(_ data: RecipeData, into found: inout RecipeReferences) {}
}

extension Recipe {
    /// Returns true if a recipe reads the data file at a URL.
    static func isData(at url: WebURL, _ table: RecipeTable) -> Bool {
        readers.contains { $0.reader.reads(dataAt: url) } || table.isData(named: url.lastSegment)
    }

    /// Returns the references that all recipes find in a page.
    static func references(in page: RecipePage, _ table: RecipeTable) -> [Reference] {
        collect { reader, found in reader.read(page, into: &found) } + table.references(in: page)
    }

    /// Returns the references that all recipes find in a script.
    static func references(in script: RecipeScript, _ table: RecipeTable) -> [Reference] {
        collect { reader, found in reader.read(script, into: &found) } + table.references(in: script)
    }

    /// Returns the references that the recipes of a file's name find in it.
    static func references(in data: RecipeData, _ table: RecipeTable) -> [Reference] {
        collect { reader, found in
            if reader.reads(dataAt: data.url) { reader.read(data, into: &found) }
        } + table.references(in: data)
    }

    private static func collect(_ read: (any RecipeReader.Type, inout RecipeReferences) -> Void) -> [Reference] {
        var references: [Reference] = []
        for (recipe, reader) in readers {
            var found = RecipeReferences(recipe)
            read(reader, &found)
            references += found.references
        }
        return references
    }
}
