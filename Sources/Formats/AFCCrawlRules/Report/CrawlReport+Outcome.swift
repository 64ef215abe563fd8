extension CrawlReport {
    /// What a crawl came to, in one word; docs/exit-codes.md has a code for each.
    public enum Outcome: String, Sendable, CaseIterable {
        /// All that was asked for is in the package.
        case complete
        /// The package lacks what failed.
        case incomplete
        /// Nothing could be fetched, and no package was written.
        case empty
        /// The crawl was stopped, and the same command resumes it.
        case interrupted
        /// Something on this machine failed.
        case error
    }

    /// What the crawl came to.
    public var outcome: Outcome {
        switch ending {
        case .interrupted: .interrupted
        case .error: .error
        case .finished: fetched == 0 ? .empty : failed + cutCount > 0 ? .incomplete : .complete
        }
    }

    /// Tells whether something failed that matters as much as a threshold says.
    public func isFailed(at threshold: Threshold) -> Bool {
        func count(_ importance: Importance) -> Int { failuresByImportance[importance] ?? 0 }
        // What no option of the user's cuts is missing as if it had failed.
        let isCut = cutCount > 0 || skipped.contains { $0.rule == .maxURLs || $0.rule == .requisiteChain }
        return switch threshold {
        case .none: false
        case .seed: count(.seed) > 0
        case .requisite: count(.seed) + count(.requisite) > 0 || isCut
        case .link: failed > 0 || isCut
        }
    }
}

extension FetchFailure {
    /// The kind of failure, for programs; docs/crawl-report.md lists them.
    var kind: String {
        switch self {
        case .status: "status"
        case .unknownHost: "unknown-host"
        case .privateAddress: "private-address"
        case .proxy: "proxy"
        case .refused: "refused"
        case .timeout: "timeout"
        case .connection: "connection"
        case .tls: "tls"
        case .truncated: "truncated"
        case .tooLarge: "too-large"
        case .coding: "coding"
        case .expansion: "expansion"
        case .redirects: "redirects"
        case .redirectLoop: "redirect-loop"
        case .location: "location"
        case .storage: "storage"
        }
    }

    /// The status of the answer, where that is the failure.
    var status: Int? {
        if case .status(let status, _) = self { status } else { nil }
    }
}
