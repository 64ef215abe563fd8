/// A bundler, site generator or library that loads resources by a table of its own.
///
/// HTML names only the first scripts of such a site. The tables in these scripts, in the page or in data files name the
/// rest. A recipe reads one kind of table; docs/sites.md lists the releases with which each was tested.
public enum Recipe: String, Sendable, CaseIterable {
    /// The style sheets and assets that scripts of Vite name.
    case vite
    /// The files of builds and data of pages of Nuxt.
    case nuxt
    /// The manifest of routes of React Router and Remix, and the data of their pages.
    case reactRouter = "react-router"
    /// The data of pages of SvelteKit.
    case svelteKit = "sveltekit"
    /// The scripts of pages of VitePress.
    case vitePress = "vitepress"
    /// The scripts and style sheets in the runtimes of webpack and Rspack.
    case webpack
    /// The scripts, styles and data that the tables of Next.js name.
    case next
    /// The scripts of page templates and the data of pages in Gatsby.
    case gatsby
    /// The files that service workers store, by the lists of Workbox, sw-precache and Angular, and by `addAll`.
    case precache
    /// The routes of applications, which no page needs to link to.
    case routes
    /// The search of MkDocs and of Material for MkDocs.
    case mkDocs = "mkdocs"
    /// The search of mdBook.
    case mdBook = "mdbook"
    /// The search of Sphinx.
    case sphinx
    /// The index of other searches that run in the browser.
    case localSearch = "local-search"
    /// The search and settings of rustdoc.
    case rustdoc
    /// The search and navigation of Doxygen.
    case doxygen
    /// The search of Javadoc.
    case javadoc
    /// The navigation and search of DocFX.
    case docFX = "docfx"
    /// The sidebars and search of dartdoc.
    case dartdoc
    /// The index of a search with Pagefind.
    case pagefind

    /// The version of all recipes together, which changes with what they find.
    ///
    /// A crawl that another version found is neither resumed nor taken for up to date.
    public static let version = 2

    /// The recipe's reader.
    var reader: any RecipeReader.Type {
        switch self {
        case .vite: ViteRecipe.self
        case .nuxt: NuxtRecipe.self
        case .reactRouter: ReactRouterRecipe.self
        case .svelteKit: SvelteKitRecipe.self
        case .vitePress: VitePressRecipe.self
        case .webpack: WebpackRecipe.self
        case .next: NextRecipe.self
        case .gatsby: GatsbyRecipe.self
        case .precache: PrecacheRecipe.self
        case .routes: RouteRecipe.self
        case .mkDocs: MkDocsRecipe.self
        case .mdBook: MdBookRecipe.self
        case .sphinx: SphinxRecipe.self
        case .localSearch: LocalSearchRecipe.self
        case .rustdoc: RustdocRecipe.self
        case .doxygen: DoxygenRecipe.self
        case .javadoc: JavadocRecipe.self
        case .docFX: DocFXRecipe.self
        case .dartdoc: DartdocRecipe.self
        case .pagefind: PagefindRecipe.self
        }
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
    /// Reads a data file.
    static func read(_ data: RecipeData, into found: inout RecipeReferences)
}

extension RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {}
    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {}
    static func reads(dataNamed name: Substring) -> Bool { false }
    static func read(_ data: RecipeData, into found: inout RecipeReferences) {}
}

extension Recipe {
    /// Returns true if a recipe reads data files of a name.
    static func isData(named name: Substring) -> Bool { allCases.contains { $0.reader.reads(dataNamed: name) } }

    /// Returns the references that all recipes find in a page.
    static func references(in page: RecipePage) -> [Reference] {
        collect { recipe, found in recipe.reader.read(page, into: &found) }
    }

    /// Returns the references that all recipes find in a script.
    static func references(in script: RecipeScript) -> [Reference] {
        collect { recipe, found in recipe.reader.read(script, into: &found) }
    }

    /// Returns the references that the recipes of a file's name find in it.
    static func references(in data: RecipeData) -> [Reference] {
        collect { recipe, found in
            if recipe.reader.reads(dataNamed: data.name) { recipe.reader.read(data, into: &found) }
        }
    }

    private static func collect(_ read: (Recipe, inout RecipeReferences) -> Void) -> [Reference] {
        var references: [Reference] = []
        for recipe in allCases {
            var found = RecipeReferences(recipe)
            read(recipe, &found)
            references += found.references
        }
        return references
    }
}
