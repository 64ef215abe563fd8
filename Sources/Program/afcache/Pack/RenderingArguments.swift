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
            "The browser for '--render': a path, or a name in PATH. (default: chromium or google-chrome)",
            valueName: "program"
        ),
        completion: .file()
    )
    var browser: String?

    @Option(
        help: ArgumentHelp(
            "A script to run in each page after it has loaded, for example one that opens menus. Needs '--render'.",
            valueName: "file"
        ),
        completion: .file(extensions: ["js"])
    )
    var behavior: String?

    @Option(
        help: ArgumentHelp(
            "The most real time for a page in the browser, for example 1m. (default: 30s)",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var renderTimeout: Duration?

    func validate() throws {
        let other = [
            ("--browser", browser != nil), ("--behavior", behavior != nil), ("--render-timeout", renderTimeout != nil),
        ]
        if !render, let (option, _) = other.first(where: \.1) { throw ValidationError("'\(option)' needs '--render'") }
        if let renderTimeout, renderTimeout <= .zero {
            throw ValidationError("'--render-timeout' must be greater than zero")
        }
    }

    func apply(to options: inout CrawlOptions) throws {
        guard render else { return }
        guard !options.isDryRun else {
            throw ValidationError("'--dry-run' opens no browser; remove it, or '--render'")
        }
        var rendering = RenderingOptions(searchPath: getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
        rendering.program = browser
        if let behavior {
            rendering.behavior = String(decoding: try SmallFile.read(behavior, limit: 1 << 20), as: UTF8.self)
        }
        if let renderTimeout { rendering.pageTime = renderTimeout }
        options.rendering = rendering
    }
}
