import ArgumentParser

/// The options for the browser that renders pages of a crawl, or tries a package.
struct BrowserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The browser: a path, or a name in PATH. (default: chromium or google-chrome)",
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
    func requireUse(_ isUsed: Bool) throws {
        guard !isUsed else { return }
        let other = [("--browser", browser != nil), ("--render-timeout", renderTimeout != nil)]
        if let (option, _) = other.first(where: \.1) {
            throw ValidationError("'\(option)' needs '--render' or '--try'")
        }
    }
}
