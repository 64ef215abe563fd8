internal import AFCOrigin
internal import AFCText

/// An error for a response that is missing or incomplete.
struct ConnectionFailure: Error {
    /// The failure as a sentence; lower case, no full stop.
    var message: String
    /// True if a retry may help.
    var isTransient = true
    /// The way out of it, if the program may have an option for it.
    var remedy: Remedy?

    init(_ message: String, isTransient: Bool = true) {
        self.message = message
        self.isTransient = isTransient
    }

    /// Creates a failure from an error of the client or the layers below it.
    init(_ error: any Error) {
        if let error = error as? ConnectionFailure {
            self = error
            return
        }
        let trouble = ConnectionTrouble(error)
        let isTransient =
            switch trouble {
            case .notHTTP, .limit: false
            default: !trouble.isOfTLS
            }
        switch trouble {
        case .cut: self.init("the connection closed before the package was complete")
        case .timeout: self.init("the server stopped sending")
        case .other(let reason): self.init("the connection failed (\(reason))")
        case .tls: self.init(trouble.words)
        case .untrusted(nil), .untrusted(.selfSigned), .untrusted(.unknownIssuer):
            self.init(trouble.words, isTransient: false)
            remedy = .trustServer
        default: self.init(trouble.words, isTransient: isTransient)
        }
    }
}
