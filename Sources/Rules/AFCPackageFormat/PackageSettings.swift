public import AFCText

/// A user's decisions about a package in a cache.
///
/// A new setting is added here and where users state it. Caches keep the JSON form, in which a missing key means the
/// default.
public struct PackageSettings: Sendable, Equatable {
    /// The priority of the package.
    ///
    /// If several packages contain a URL, the one with the highest priority is served.
    public var priority = 0
    /// True if the package is kept when the cache is full.
    public var isPinned = false
    /// True if entries of the package may be evicted one by one when the cache is full.
    public var isSeparable = false
    /// True if a search index is made whenever the package is loaded.
    public var isSearchable = false
    /// Which earlier versions are kept when the package is loaded again; nil for the previous one only.
    public var retention: Retention?
    /// A program's own texts about the package, by key.
    public var userData: [String: String] = [:]

    /// Which versions of a package a cache keeps.
    public enum Retention: Sendable, Equatable {
        /// So many, the current one too.
        case versions(Int)
        /// Those that were current within so many seconds, and the previous one.
        case seconds(Int64)

        /// The most versions that are kept of a package, since readers read them with the catalogue.
        public static let versionLimit = 1_000

        /// Reads the JSON form; nil for anything else.
        fileprivate init?(_ json: JSONValue) {
            if let count = json["versions"]?.integer, (1...Int64(Self.versionLimit)).contains(count) {
                self = .versions(Int(count))
            } else if let seconds = json["seconds"]?.integer, seconds > 0 {
                self = .seconds(seconds)
            } else {
                return nil
            }
        }

        fileprivate var json: JSONValue {
            switch self {
            case .versions(let count): .object([("versions", .number("\(count)"))])
            case .seconds(let seconds): .object([("seconds", .number("\(seconds)"))])
            }
        }
    }

    /// The most bytes of all keys and texts of ``userData``, since readers read them with the catalogue.
    public static let userDataLimit = 16 << 10

    /// Creates the default settings.
    public init() {}

    /// A change of settings; nil leaves a setting as it is.
    public struct Change: Sendable, Equatable {
        /// The new priority.
        public var priority: Int?
        /// The new value of ``PackageSettings/isPinned``.
        public var isPinned: Bool?
        /// The new value of ``PackageSettings/isSeparable``.
        public var isSeparable: Bool?
        /// The new value of ``PackageSettings/isSearchable``.
        public var isSearchable: Bool?
        /// The new value of ``PackageSettings/retention``, which may be nil.
        public var retention: Retention??
        /// The new values of keys of ``PackageSettings/userData``; nil removes a key.
        public var userData: [String: String?] = [:]

        /// Creates a change.
        public init(
            priority: Int? = nil,
            isPinned: Bool? = nil,
            isSeparable: Bool? = nil,
            isSearchable: Bool? = nil
        ) {
            (self.priority, self.isPinned, self.isSeparable) = (priority, isPinned, isSeparable)
            self.isSearchable = isSearchable
        }

        /// Creates a change that results in these settings; retention and user data stay as they are.
        public init(to settings: PackageSettings) {
            self.init(
                priority: settings.priority,
                isPinned: settings.isPinned,
                isSeparable: settings.isSeparable,
                isSearchable: settings.isSearchable
            )
        }
    }

    /// Returns the settings after a change.
    public func applying(_ change: Change) -> PackageSettings {
        var settings = self
        settings.priority = change.priority ?? priority
        settings.isPinned = change.isPinned ?? isPinned
        settings.isSeparable = change.isSeparable ?? isSeparable
        settings.isSearchable = change.isSearchable ?? isSearchable
        settings.retention = change.retention ?? retention
        for (key, text) in change.userData { settings.userData[key] = text }
        return settings
    }

    /// The members of the JSON form.
    public var json: [(String, JSONValue)] {
        [
            ("priority", .number("\(priority)")), ("pinned", .bool(isPinned)), ("separable", .bool(isSeparable)),
            ("search", .bool(isSearchable)),
        ]
            + (retention.map { [("keep", $0.json)] } ?? [])
            + (userData.isEmpty
                ? [] : [("userData", .object(userData.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))])
    }

    /// Reads the settings from a JSON object; nil if a value has the wrong type.
    public init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        if let found = json["priority"] {
            guard let priority = found.integer else { return nil }
            self.priority = Int(priority)
        }
        guard let isPinned = Self.flag(json["pinned"]), let isSeparable = Self.flag(json["separable"]),
            let isSearchable = Self.flag(json["search"])
        else { return nil }
        (self.isPinned, self.isSeparable, self.isSearchable) = (isPinned, isSeparable, isSearchable)
        if let found = json["keep"] {
            guard let retention = Retention(found) else { return nil }
            self.retention = retention
        }
        guard let found = json["userData"] else { return }
        guard case .object(let members) = found else { return nil }
        for (key, value) in members {
            guard let text = value.string else { return nil }
            userData[key] = text
        }
    }

    private static func flag(_ json: JSONValue?) -> Bool? {
        switch json {
        case nil: false
        case .bool(let value): value
        default: nil
        }
    }
}
