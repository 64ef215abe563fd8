import AFCCaching
import AFCModelContext
import ArgumentParser

extension UsagePreferences.Input: ExpressibleByArgument {}

/// The option for preferences of origins about AI that the user overrides.
struct UsageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Don't obey this preference of origins, by which pages are withheld from AI: 'ai-input' (Content-Signal) or \
            'noai' (robots directives), or 'ai-use', 'ai-output' or 'inference' (drafts of Content-Usage). Can be repeated. \
            Make sure that you may use the pages so.
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
