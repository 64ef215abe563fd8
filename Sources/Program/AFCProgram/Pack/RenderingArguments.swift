import AFCCrawlRules
import AFCPlatform
import AFCText
import ArgumentParser

/// The options for opening pages in a browser.
struct RenderingArguments: ParsableArguments {
    @Flag(
        help: """
            Open each page in Chromium to find what its scripts load. The browser has no network: afcache fetches what \
            it asks for, by the rules of the crawl.
            """
    )
    var render = false

    @Flag(
        help: """
            As '--render', but open only the start pages and three of each kind, by the scripts that they run, and all \
            of a kind if one of the three needs something that the crawl didn't find.
            """
    )
    var renderAuto = false

    /// True if pages are opened.
    var isUsed: Bool { render || renderAuto }

    @Option(
        help: ArgumentHelp(
            "A script to run in each page after it has loaded, for example one that opens menus. Needs '--render'.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file(extensions: ["js"])
    )
    var behavior: String?

    func validate() throws {
        guard isUsed || behavior == nil else { throw ValidationError("'--behavior' needs '--render'") }
        guard !(render && renderAuto) else {
            throw ValidationError("'--render' opens each page, '--render-auto' fewer; use one of them")
        }
    }

    func apply(to options: inout CrawlOptions, _ arguments: BrowserOptions) throws {
        guard isUsed else { return }
        guard !options.isDryRun else {
            throw ValidationError(
                "'--dry-run' opens no browser; remove it, or '\(render ? "--render" : "--render-auto")'"
            )
        }
        var rendering = RenderingOptions(searchPath: getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
        rendering.program = arguments.browser
        rendering.opensAll = render
        if let behavior {
            rendering.behavior = String(decoding: try SmallFile.read(behavior, limit: 1 << 20), as: UTF8.self)
        }
        if let pageTime = arguments.renderTimeout { rendering.pageTime = pageTime }
        options.rendering = rendering
    }
}
