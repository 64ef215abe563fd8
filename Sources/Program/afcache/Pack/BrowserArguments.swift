import ArgumentParser

/// The options for the browser that renders pages of a crawl, and tries the finished package.
struct BrowserArguments: ParsableArguments {
    @Flag(
        name: .customLong("try"),
        help: """
            Open the finished package in Chromium, without a network, and say what is missing, as 'afcache try' does. The \
            exit code is 5 if something is.
            """
    )
    var tries = false

    @Option(
        help: ArgumentHelp(
            """
            The browser for '--render' and '--try': a path, or a name in PATH. (default: chromium or google-chrome)
            """,
            valueName: "program"
        ),
        completion: .file()
    )
    var browser: String?

    @Option(
        help: ArgumentHelp(
            "The most real time for a page in the browser, for example 1m. (default: 30s)",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var renderTimeout: Duration?

    func validate() throws {
        if let renderTimeout, renderTimeout <= .zero {
            throw ValidationError("'--render-timeout' must be greater than zero")
        }
    }

    /// Throws a usage error if an option has no use.
    func requireUse(isRendering: Bool) throws {
        let other = [("--browser", browser != nil), ("--render-timeout", renderTimeout != nil)]
        if !isRendering, !tries, let (option, _) = other.first(where: \.1) {
            throw ValidationError("'\(option)' needs '--render' or '--try'")
        }
    }
}
