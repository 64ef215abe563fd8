/// A file that requests change under conditions (RFC 9110 §13), with places to go wrong.
public struct ChangeableFile: Sendable {
    /// The contents; nil if there is no file.
    public var text: String?
    /// The number of changes.
    public private(set) var changes = 0
    /// Whether If-Match and If-None-Match are obeyed.
    public var obeysConditions = true
    /// What is put before the entity tag, such as `W/`; nil to state none.
    public var tagPrefix: String? = ""
    /// What somebody else makes of the file after each of the next answers to GET.
    public var changesByOthers: [String] = []
    /// How many of the next changes are made, but not answered.
    public var lostAnswers = 0
    /// The value of Authorization that changes need.
    public var login: String?

    /// Creates a file.
    public init(_ text: String?) { self.text = text }

    private var tag: String { "\"\(changes)\"" }

    mutating func answer(_ request: TestOrigin.Request) -> TestOrigin.Answer {
        switch request.method {
        case "GET":
            guard let text else { return TestOrigin.Answer(404) }
            let fields = tagPrefix.map { [(name: "ETag", value: $0 + tag)] } ?? []
            if !changesByOthers.isEmpty { replace(changesByOthers.removeFirst()) }
            return TestOrigin.Answer(200, fields, body: Array(text.utf8))
        case "PUT":
            if let login, request.value("authorization") != login { return TestOrigin.Answer(401) }
            if obeysConditions {
                let matches = request.value("if-match").map { text != nil && $0 == tag } ?? true
                guard matches, request.value("if-none-match") != "*" || text == nil else {
                    return TestOrigin.Answer(412)
                }
            }
            replace(request.body)
            guard lostAnswers == 0 else {
                lostAnswers -= 1
                return .reset
            }
            return TestOrigin.Answer(204)
        default: return TestOrigin.Answer(405)
        }
    }

    private mutating func replace(_ new: String) {
        text = new
        changes += 1
    }
}
