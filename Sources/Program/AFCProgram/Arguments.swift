public import AFCCache
public import AFCCaching
public import AFCCrawlRules
public import AFCDiscovery
public import AFCLinter
public import AFCPackageFormat
import AFCText
public import ArgumentParser

extension ManifestDialect: ExpressibleByArgument {}
extension CrawlScope.Extent: ExpressibleByArgument {}
extension MediaSelection: ExpressibleByArgument {}
extension CrawlReport.Threshold: ExpressibleByArgument {}
extension OfflinePolicy.Expired: ExpressibleByArgument {}
extension QueryMatching: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
extension LintPreset: ExpressibleByArgument {}
extension LintThreshold: ExpressibleByArgument {}
extension OldReader: ExpressibleByArgument {}

extension ByteSize {
    /// A size in an option.
    ///
    /// - Throws: A usage error that says how to write one.
    static func argument(_ text: String) throws -> Int64 {
        guard let bytes = parse(text) else {
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a size; write bytes, or for example 512k, 1.5G or 64MiB"
            )
        }
        return bytes
    }

    /// A count in an option.
    ///
    /// - Throws: A usage error that says how to write one.
    static func countArgument(_ text: String) throws -> Int64 {
        guard let count = parseCount(text) else {
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a number; write for example 100000, 100k or 1.5M"
            )
        }
        return count
    }
}
