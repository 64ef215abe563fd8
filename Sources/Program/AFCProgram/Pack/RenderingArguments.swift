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
        guard render || behavior == nil else { throw ValidationError("'--behavior' needs '--render'") }
    }

    func apply(to options: inout CrawlOptions, _ arguments: BrowserOptions) throws {
        guard render else { return }
        guard !options.isDryRun else {
            throw ValidationError("'--dry-run' opens no browser; remove it, or '--render'")
        }
        var rendering = RenderingOptions(searchPath: getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
        rendering.program = arguments.browser
        if let behavior {
            rendering.behavior = String(decoding: try SmallFile.read(behavior, limit: 1 << 20), as: UTF8.self)
        }
        if let pageTime = arguments.renderTimeout { rendering.pageTime = pageTime }
        options.rendering = rendering
    }
}
