internal import AFCCrawlRules
internal import AFCPackageFile
internal import AFCText
public import Foundation

/// The result of packing.
public struct PackReport: Sendable, Equatable, CustomStringConvertible {
    /// A URL that isn't in the package although it should be.
    public struct Failure: Sendable, Equatable, CustomStringConvertible {
        /// The URL.
        public let url: URL
        /// The reason, in words.
        public let reason: String

        /// The URL in quotes and the reason.
        public var description: String { "'\(url)': \(reason)" }
    }

    /// The number of resources.
    public let resources: Int
    /// The number of redirects.
    public let redirects: Int
    /// The size of all bodies, in bytes.
    public let bodyBytes: Int64
    /// The size of the package, in bytes.
    public let packageBytes: Int64
    /// True if an update found nothing changed, so that the package stayed as it was.
    public let isUnchanged: Bool
    /// The URLs that failed, at most 10,000.
    public let failures: [Failure]

    init(_ summary: PackageWriter.Summary, _ failures: [Failure] = []) {
        resources = summary.resources
        redirects = summary.redirects
        bodyBytes = summary.bodyBytes
        packageBytes = summary.packageBytes
        isUnchanged = summary.isUntouched
        self.failures = failures
    }

    /// The numbers in words.
    public var description: String {
        "\(Quantity.count(resources, "resource")), \(Quantity.count(redirects, "redirect")), "
            + "\(Quantity.bytes(bodyBytes)) in \(Quantity.bytes(packageBytes)), \(Quantity.count(failures.count, "failure"))"
    }
}
