/// The pages below `/.afcache/`, which every responder's server has, under its own hosts only.
enum OwnPages {
    /// The answer to a request for one of them, or nil where it means something else.
    static func answer(_ request: ServerRequest, service: Serving) -> ServerAnswer? { nil }
}
