public import AFCYAML

/// What is wrong with a configuration file, and where.
public typealias LintConfigurationError = YAMLFileError
