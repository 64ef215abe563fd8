internal import AFCText

/// An argument of a tool: its description for clients, and the check of what they send, from one value.
struct ToolArgument: Sendable {
    /// The kinds of values.
    enum Kind: Sendable {
        /// A text of at most so many bytes.
        case text(limit: Int)
        /// A whole number.
        case number(ClosedRange<Int>)
        /// True or false.
        case flag
    }

    let name: String
    let kind: Kind
    let description: String
    var isRequired = false

    /// The argument in a JSON Schema (2020-12).
    var schema: JSONValue {
        switch kind {
        case .text(let limit):
            .object([
                ("type", .string("string")), ("maxLength", .number(String(limit))),
                ("description", .string(description)),
            ])
        case .number(let range):
            .object([
                ("type", .string("integer")), ("minimum", .number(String(range.lowerBound))),
                ("maximum", .number(String(range.upperBound))), ("description", .string(description)),
            ])
        case .flag: .object([("type", .string("boolean")), ("description", .string(description))])
        }
    }

    /// Returns the sentence that says what is wrong with a value; nil if it is right.
    func mistake(_ value: JSONValue) -> String? {
        switch (kind, value) {
        case (.text(let limit), .string(let text)):
            text.utf8.count <= limit ? nil : "'\(name)' may have at most \(limit) bytes"
        case (.text, _): "'\(name)' must be a text"
        case (.number(let range), .number):
            ToolArguments.integer(value).map { range.contains($0) } ?? false
                ? nil : "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case (.number(let range), _): "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case (.flag, .bool): nil
        case (.flag, _): "'\(name)' must be true or false"
        }
    }
}

/// The arguments of a call, which fit the tool.
struct ToolArguments: Sendable {
    private let values: [String: JSONValue]

    /// Checks the arguments of a call.
    ///
    /// - Parameters:
    ///   - value: What the client sent; nil for nothing.
    ///   - tool: The tool.
    /// - Throws: ``ToolRefusal`` that says what is wrong.
    init(_ value: JSONValue?, for tool: Tool) throws(ToolRefusal) {
        let value = value ?? .object([])
        guard case .object(let members) = value else { throw ToolRefusal("the arguments must be an object") }
        var values: [String: JSONValue] = [:]
        for (name, value) in members {
            guard let argument = tool.arguments.first(where: { $0.name == name }) else {
                let known = tool.arguments.map { "'\($0.name)'" }.joined(separator: ", ")
                throw ToolRefusal(
                    "'\(tool.rawValue)' has no argument \(PrintableText.quoted(name)); it has \(known.isEmpty ? "none" : known)"
                )
            }
            // A client may write null for what it leaves out.
            if case .null = value, !argument.isRequired { continue }
            if let mistake = argument.mistake(value) { throw ToolRefusal(mistake) }
            values[name] = value
        }
        for argument in tool.arguments where argument.isRequired && values[argument.name] == nil {
            throw ToolRefusal("'\(tool.rawValue)' needs '\(argument.name)'")
        }
        self.values = values
    }

    /// Returns a text; nil if it wasn't given or is empty.
    func text(_ name: String) -> String? { values[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a number; nil if it wasn't given.
    func number(_ name: String) -> Int? { values[name].flatMap { Self.integer($0) } }

    /// Returns true if a flag was given as true.
    func flag(_ name: String) -> Bool { values[name] == .bool(true) }

    /// Returns a whole number, which some clients write as `10.0`.
    static func integer(_ value: JSONValue) -> Int? {
        if let whole = value.integer { return Int(exactly: whole) }
        guard case .number(let text) = value, text.utf8.count < 32 else { return nil }
        return Double(text).flatMap { Int(exactly: $0) }
    }
}

/// The reason why a tool can't do what it was asked for, as a sentence for the model that asked.
struct ToolRefusal: Error, Equatable {
    let sentence: String

    /// Creates a refusal.
    init(_ sentence: String) { self.sentence = sentence }
}
