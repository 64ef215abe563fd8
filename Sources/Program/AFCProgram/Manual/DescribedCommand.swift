import AFCText

/// The argument parser's description of a command, without hidden commands.
///
/// It has the hidden options that are explained, which only help pages leave out.
struct DescribedCommand {
    /// The words that call the command, such as `afcache cache info`.
    var call: String
    var abstract: String
    var discussion: String
    var arguments: [DescribedArgument]
    var subcommands: [DescribedCommand]

    /// Reads the parser's description of a program; nil if its form isn't known.
    ///
    /// - Parameters:
    ///   - document: The output of `--experimental-dump-help`.
    ///   - parent: The words that call the command above.
    init?(document: String, calledBy parent: String = "") {
        guard let value = try? JSONValue(parsing: Array(document.utf8)), value["serializationVersion"]?.integer == 0,
            let command = value["command"]
        else { return nil }
        self.init(command, calledBy: parent)
    }

    private init?(_ value: JSONValue, calledBy parent: String) {
        guard let name = value["commandName"]?.string else { return nil }
        let call = parent.isEmpty ? name : parent + " " + name
        self.call = call
        abstract = value["abstract"]?.string ?? ""
        discussion = value["discussion"]?.string ?? ""
        arguments = DescribedArgument.all(
            in: (value["arguments"]?.array ?? []).filter { $0.isShown || $0["abstract"]?.string ?? "" != "" }
        )
        // The parser adds 'help' to every program.
        subcommands = (value["subcommands"]?.array ?? []).filter { $0.isShown && $0["commandName"]?.string != "help" }
            .compactMap { DescribedCommand($0, calledBy: call) }
    }

    /// The command, followed by its subcommands and theirs.
    var all: [DescribedCommand] { [self] + subcommands.flatMap(\.all) }
}

/// An argument, an option, or a flag with its opposite.
struct DescribedArgument {
    /// The title of the group that it is shown in, or an empty string.
    var section: String
    /// The names, such as `--output`; empty for a positional argument.
    var names: [String]
    /// The placeholder of the value; nil for a flag.
    var value: String?
    var isOptional: Bool
    var isRepeating: Bool
    /// True if help pages leave it out.
    var isHidden: Bool
    /// The sentence, followed by the values and the default.
    var text: String

    private init?(_ value: JSONValue) {
        guard let kind = value["kind"]?.string else { return nil }
        section = value["sectionTitle"]?.string ?? ""
        names = (value["names"]?.array ?? []).compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        names.sort { !$0.hasPrefix("--") && $1.hasPrefix("--") }
        self.value = kind == "flag" ? nil : value["valueName"]?.string
        isOptional = value["isOptional"] == .bool(true)
        isRepeating = value["isRepeating"] == .bool(true)
        isHidden = !value.isShown
        text = value["abstract"]?.string ?? ""
        let values = (value["allValues"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        var facts = kind == "flag" || values.isEmpty ? [] : ["values: " + values]
        if let usual = value["defaultValue"]?.string { facts.append("default: " + usual) }
        if !facts.isEmpty { text += (text.isEmpty ? "" : " ") + "(\(facts.joined(separator: "; ")))" }
    }

    /// Returns the arguments of a command; a flag and its opposite, which the parser lists separately, become one.
    static func all(in values: [JSONValue]) -> [DescribedArgument] {
        var arguments: [DescribedArgument] = []
        for argument in values.compactMap(DescribedArgument.init) {
            if let last = arguments.last, last.value == nil, argument.value == nil, last.section == argument.section,
                let name = argument.names.first, name.hasPrefix("--no-"),
                last.names.contains("--" + name.dropFirst("--no-".count))
            {
                arguments[arguments.count - 1].names += argument.names
            } else {
                arguments.append(argument)
            }
        }
        return arguments
    }
}

extension JSONValue {
    fileprivate var isShown: Bool { self["shouldDisplay"] != .bool(false) }
}
