public import AFCCaching
public import AFCCrawlRules
public import AFCLinter
public import AFCPackageFormat
public import ArgumentParser

extension ManifestDialect: ExpressibleByArgument {}
extension CrawlScope.Extent: ExpressibleByArgument {}
extension QueryRules.Mode: ExpressibleByArgument {}
extension CrawlReport.Threshold: ExpressibleByArgument {}
extension OfflinePolicy.Expired: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
extension LintPreset: ExpressibleByArgument {}
extension LintThreshold: ExpressibleByArgument {}
extension OldReader: ExpressibleByArgument {}
