import AFCCaching
import AFCModelContext
import ArgumentParser

extension UsagePreferences.Input: ExpressibleByArgument {}

/// The option for preferences of origins about AI that the user overrides.
struct UsageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Give AI the pages that are withheld since their origins disallow this usage. Can be repeated. Make sure that \
            you may use the pages so.
            """,
            valueName: "name"
        )
    )
    var ignorePreference: [UsagePreferences.Input] = []

    /// The choice for a server.
    var obedience: UsageObedience {
        UsageObedience(ignoring: Set(ignorePreference)) { names in
            let options = Self.words(overriding: Set(names))
            return "whoever runs the server can override this with \(options)"
        }
    }

    /// Returns the options that override names.
    static func words(overriding names: Set<UsagePreferences.Input>) -> String {
        UsagePreferences.Input.allCases.filter(names.contains).map { "'--ignore-preference \($0.rawValue)'" }
            .joined(separator: " and ")
    }
}
