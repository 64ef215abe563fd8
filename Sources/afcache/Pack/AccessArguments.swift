import ArgumentParser
import Packager

/// What a crawl needs to be let in.
struct AccessArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A field as 'Name: value', or '@FILE' with one a line, which keeps secrets out of the list of processes; it goes to \
            the starts' origins only. Repeatable.
            """,
            valueName: "field"
        )
    )
    var header: [String] = []

    @Flag(help: "Follow links into private addresses.")
    var allowPrivate = false

    func apply(to options: inout CrawlOptions) throws {
        options.requestFields = try HeaderField.fields(header)
        options.scope.allowsPrivate = allowPrivate
    }
}
