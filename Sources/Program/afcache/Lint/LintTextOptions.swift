import AFCLinter
import AFCPlatform
import ArgumentParser

/// How findings look where people read them.
struct LintTextOptions: ParsableArguments {
    enum Color: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    @Flag(
        inversion: .prefixedNo,
        help: "Show the manifest's line below a finding, with the spot marked. (default: on a terminal)"
    )
    var context: Bool?

    @Option(help: "auto, always or never: whether findings are coloured; auto is on a terminal without NO_COLOR.")
    var color: Color = .auto

    /// What is asked for, and fits where the results go.
    ///
    /// - Parameter isFile: Whether they go to a file, wherever standard output leads.
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

    /// Whether colours are written; https://no-color.org says when not.
    ///
    /// - Parameters:
    ///   - noColor: The variable NO_COLOR, where it is set.
    ///   - terminal: The kind of terminal, or nil where results go elsewhere.
    /// - Returns: Whether they are.
    func isColored(noColor: String?, terminal: String?) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto: (noColor ?? "").isEmpty && terminal != nil && terminal != "dumb"
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
