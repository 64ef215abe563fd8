public import ArgumentParser
public import HTTPCaching
public import Linter
public import PackageFormat
public import Packager

extension ManifestDialect: ExpressibleByArgument {}
extension CrawlScope.Extent: ExpressibleByArgument {}
extension QueryRules.Mode: ExpressibleByArgument {}
extension CrawlReport.Threshold: ExpressibleByArgument {}
extension OfflinePolicy.Expired: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}
extension LintPreset: ExpressibleByArgument {}
extension LintThreshold: ExpressibleByArgument {}
extension OldReader: ExpressibleByArgument {}
