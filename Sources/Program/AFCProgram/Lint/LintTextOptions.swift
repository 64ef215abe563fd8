import AFCLinter
import AFCPlatform
import ArgumentParser

/// The options for reports on a terminal.
struct LintTextOptions: ParsableArguments {
    enum Color: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    @Flag(
        inversion: .prefixedNo,
        help: "Show the line of the manifest below each finding, with the place marked. (default: on a terminal)"
    )
    var context: Bool?

    @Option(help: "When to color findings; 'auto' colors them on a terminal unless NO_COLOR is set.")
    var color: Color = .auto

    /// Returns the style that the options and the destination of the results call for.
    ///
    /// - Parameter isFile: True if the results go to a file instead of standard output.
    /// - Returns: The style.
    func style(isFile: Bool) -> FindingStyle {
        let isTerminal = Console.resultIsTerminal && !isFile
        let terminal = isTerminal ? Self.variable("TERM") ?? "" : nil
        return FindingStyle(
            isColored: isColored(noColor: Self.variable("NO_COLOR"), terminal: terminal),
            showsContext: context ?? isTerminal,
            width: Console.resultWidth
        )
    }

    /// Returns true if colors are written; see https://no-color.org.
    ///
    /// - Parameters:
    ///   - noColor: The variable NO_COLOR, if it is set.
    ///   - terminal: The kind of terminal, or nil if results go elsewhere.
    /// - Returns: True if colors are written.
    func isColored(noColor: String?, terminal: String?) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto: (noColor ?? "").isEmpty && terminal != nil && terminal != "dumb"
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
