internal import CYAML

/// Makes values of the events of libyaml's parser (https://pyyaml.org/wiki/LibYAML).
///
/// Aliases are refused, so a file's values take no more than its text.
final class YAMLParsing {
    private let text: [UInt8]
    private var parser = yaml_parser_t()
    /// The lists and mappings that aren't complete yet.
    private var open: [YAMLValue] = []

    init(_ text: String) { self.text = Array(text.utf8) }

    /// Returns the value of the only document, or nil if there is none.
    func document() throws(YAMLFileError) -> YAMLValue? {
        guard yaml_parser_initialize(&parser) == 1 else {
            throw YAMLFileError(line: 1, column: 1, message: "there is no memory to read the file")
        }
        defer { yaml_parser_delete(&parser) }
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        var result: Result<YAMLValue?, YAMLFileError> = .success(nil)
        text.withUnsafeBufferPointer { bytes in
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            result = Result { () throws(YAMLFileError) in try values() }
        }
        return try result.get()
    }

    private func values() throws(YAMLFileError) -> YAMLValue? {
        var root: YAMLValue?
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(&parser, &event) == 1 else { throw failure() }
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_STREAM_END_EVENT: return root
            case YAML_DOCUMENT_START_EVENT:
                guard root == nil else {
                    throw YAMLFileError(
                        at: value(event, .list([])),
                        "the file has another document; put its keys into the first one"
                    )
                }
            case YAML_ALIAS_EVENT: throw shared(event)
            case YAML_SCALAR_EVENT:
                guard event.data.scalar.anchor == nil else { throw shared(event) }
                let bytes = UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length)
                let isPlain = event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
                add(value(event, .text(String(decoding: bytes, as: UTF8.self), isPlain: isPlain)), &root)
            case YAML_SEQUENCE_START_EVENT:
                guard event.data.sequence_start.anchor == nil else { throw shared(event) }
                try begin(value(event, .list([])))
            case YAML_MAPPING_START_EVENT:
                guard event.data.mapping_start.anchor == nil else { throw shared(event) }
                try begin(value(event, .mapping([])))
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
                if let value = open.popLast() { add(value, &root) }
            default: break
            }
        }
    }

    private func begin(_ value: YAMLValue) throws(YAMLFileError) {
        guard open.count < YAMLDocument.depthLimit else {
            throw YAMLFileError(at: value, "the file is nested more than \(YAMLDocument.depthLimit) levels deep")
        }
        open.append(value)
    }

    private func add(_ value: YAMLValue, _ root: inout YAMLValue?) {
        guard var parent = open.popLast() else {
            root = value
            return
        }
        switch parent.content {
        case .text: break
        case .list(var items):
            parent.content = .list([])
            items.append(value)
            parent.content = .list(items)
        case .mapping(var values):
            parent.content = .mapping([])
            values.append(value)
            parent.content = .mapping(values)
        }
        open.append(parent)
    }

    private func value(_ event: yaml_event_t, _ content: YAMLValue.Content) -> YAMLValue {
        YAMLValue(content: content, line: event.start_mark.line + 1, column: event.start_mark.column + 1)
    }

    private func shared(_ event: yaml_event_t) -> YAMLFileError {
        YAMLFileError(at: value(event, .list([])), "anchors and aliases are not allowed; write or quote the value")
    }

    private func failure() -> YAMLFileError {
        let problem = parser.problem.map { String(cString: $0) } ?? "it can't be read"
        let isPlaced = parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR
        return YAMLFileError(
            line: isPlaced ? parser.problem_mark.line + 1 : 1,
            column: isPlaced ? parser.problem_mark.column + 1 : 1,
            message: "the file is not YAML: \(problem)" + Self.advice(on: problem)
        )
    }

    /// Returns the end of a sentence that says what is usually the cause of a problem, in words for people.
    private static func advice(on problem: String) -> String {
        if problem.contains("cannot start any token") {
            return "; indent with spaces and not with tabs, and quote text that begins with a special character"
        }
        if problem.contains("mapping values are not allowed") {
            return "; quote a value that has ': ' in it, and begin the keys of one item in the same column"
        }
        if problem.contains("alphabetic or numeric character") {
            return "; quote text that begins with '*', '&' or '!'"
        }
        let isOfPlace = ["indicator", "could not find expected", "block"].contains(
            where: problem.contains
        )
        return isOfPlace ? "; the keys of one item, and the items of one list, begin in the same column" : ""
    }
}
