public import AFCURL

/// A request that a page makes.
package struct PageRequest: Sendable {
    /// The URL.
    package var url: WebURL
    /// The browser's word for the type of resource, such as `Script`.
    package var type: String
    /// The method.
    package var method = "GET"
    /// True if the page itself asks, and not a frame in it.
    package var isOfMainFrame = true
    /// The fields of the request that the browser states.
    package var fields: [(name: String, value: String)] = []
    /// The body.
    package var body: [UInt8] = []

    /// Creates a request.
    package init(url: WebURL, type: String) {
        self.url = url
        self.type = type
    }

    /// True if the request is for a page to show, also in a frame.
    package var isNavigation: Bool { type == "Document" }
}

/// The stored answer to a request that a page makes while it is rendered.
public enum RenderAnswer: Sendable {
    /// A stored response: its status, fields and body.
    case response(status: Int, fields: [(name: String, value: String)], body: [UInt8])
    /// The URL is known, but the page can't have it: it failed, isn't allowed, or is too large.
    case refused
    /// Nothing is known about the URL.
    case unknown
}

/// What a page requested and links to after its scripts have run.
public struct RenderedPage: Sendable, Equatable {
    /// A URL that the page requested.
    public struct Request: Sendable, Hashable {
        /// The URL.
        public var url: WebURL
        /// The browser's word for the type of resource, such as `Script`.
        public var type: String
    }

    /// The reason that a page wasn't rendered completely.
    public enum Note: String, Sendable {
        /// The page took too long.
        case slow
        /// The browser crashed or was lost.
        case crashed
        /// The page made too many requests.
        case requests
    }

    /// The requests without an answer, sorted by URL, each URL once.
    public var unknown: [Request] = []
    /// The URLs of links, sorted, each once.
    public var links: [WebURL] = []
    /// The reason that something may be missing; nil if nothing is.
    public var note: Note?
}
