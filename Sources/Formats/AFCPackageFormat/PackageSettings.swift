public import AFCText

/// A user's decisions about a package in a cache.
///
/// A new one is added here, and where users state it. Caches keep the JSON form, in which a key that is missing stands
/// for the default.
public struct PackageSettings: Sendable, Equatable {
    /// Which package is served where several have a URL: the higher one.
    public var priority = 0
    /// Whether it is kept when the cache is full.
    public var isPinned = false
    /// Whether its entries may leave one by one when the cache is full.
    public var isSeparable = false

    /// Creates the settings of a package of which nothing was said.
    public init() {}

    /// A change of settings; what is nil stays.
    public struct Change: Sendable, Equatable {
        /// The new priority.
        public var priority: Int?
        /// Whether it is kept when the cache is full.
        public var isPinned: Bool?
        /// Whether its entries may leave one by one.
        public var isSeparable: Bool?

        /// Creates a change.
        public init(priority: Int? = nil, isPinned: Bool? = nil, isSeparable: Bool? = nil) {
            (self.priority, self.isPinned, self.isSeparable) = (priority, isPinned, isSeparable)
        }

        /// Creates the change after which settings are these.
        public init(to settings: PackageSettings) {
            self.init(priority: settings.priority, isPinned: settings.isPinned, isSeparable: settings.isSeparable)
        }
    }

    /// The settings after a change.
    public func applying(_ change: Change) -> PackageSettings {
        var settings = self
        settings.priority = change.priority ?? priority
        settings.isPinned = change.isPinned ?? isPinned
        settings.isSeparable = change.isSeparable ?? isSeparable
        return settings
    }

    /// The members of the JSON form.
    public var json: [(String, JSONValue)] {
        [("priority", .number("\(priority)")), ("pinned", .bool(isPinned)), ("separable", .bool(isSeparable))]
    }

    /// Reads the settings among an object's members; nil where one has a value of another type.
    public init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        if let found = json["priority"] {
            guard let priority = found.integer else { return nil }
            self.priority = Int(priority)
        }
        guard let isPinned = Self.flag(json["pinned"]), let isSeparable = Self.flag(json["separable"]) else {
            return nil
        }
        (self.isPinned, self.isSeparable) = (isPinned, isSeparable)
    }

    private static func flag(_ json: JSONValue?) -> Bool? {
        switch json {
        case nil: false
        case .bool(let value): value
        default: nil
        }
    }
}
