/// A rule about what is found while a package is understood, so that loading finds it, too.
protocol LoadRule: LintRule {}

extension LintRules {
    /// The rules that loading and linting share, sorted by identifier.
    static let loadRules: [any LintRule.Type] = [
        DateExpiresBeforeLastModifiedRule.self, DateExpiresEqualsLastModifiedRule.self, DateInvalidRule.self,
        DateNotIMFFixdateRule.self, UnreadableFileRule.self, ManifestBodiesTooLargeRule.self,
        ManifestByteOrderMarkRule.self, ManifestConflictingDuplicateRule.self, ManifestControlCharacterRule.self,
        ManifestCRLFRule.self, ManifestDuplicateRule.self, ManifestEmptyRule.self, ManifestLineTooLongRule.self,
        ManifestMalformedLineRule.self, ManifestMissingRule.self, ManifestNoLastLineEndRule.self,
        ManifestNotUTF8Rule.self, ManifestOddDelimiterRule.self, ManifestUnknownHeaderRule.self,
        ManifestUnsortedRule.self,
        MemberIsFolderRule.self, MemberMissingRule.self, MemberWithoutEntryRule.self, SidecarBadInfoRule.self,
        SidecarBadRecordRule.self, SidecarDigestRule.self, SidecarDisagreesRule.self,
        SidecarDuplicateRecordRule.self, SidecarNewerFormatRule.self, SidecarRecordWithoutEntryRule.self,
        SidecarSizeRule.self, SignatureMalformedRule.self, SignatureMissingRule.self, SignatureUndatedRule.self,
        SignatureUntrustedRule.self, SignatureWrongRule.self, TypeInvalidRule.self, TypeNotNormalRule.self,
        URLCredentialsRule.self, URLFragmentRule.self, URLInvalidRule.self, URLNotNormalRule.self,
        ZipAmbiguousEndRule.self, ZipAuthenticationRule.self, ZipBadDirectoryRule.self, ZipBadZip64Rule.self,
        ZipChecksumRule.self, ZipCollisionRule.self, ZipDeflateRule.self, ZipDeflateTrailingRule.self,
        ZipDescriptorRule.self, ZipDeviceRule.self, ZipDirectoryMisplacedRule.self, ZipDuplicateRule.self,
        ZipEncryptedRule.self, ZipExtraFieldRule.self, ZipFileAndFolderRule.self, ZipFlagsRule.self,
        ZipFolderWithDataRule.self, ZipGapRule.self, ZipHiddenArchiveRule.self, ZipLeadingDataRule.self,
        ZipLinkRule.self, ZipLocalHeaderDiffersRule.self, ZipMethodRule.self, ZipNameAbsoluteRule.self,
        ZipNameBackslashRule.self, ZipNameControlCharacterRule.self, ZipNameDotRule.self,
        ZipNameDriveLetterRule.self, ZipNameEmptyRule.self, ZipNameEmptyPartRule.self, ZipNameNotUTF8Rule.self,
        ZipNameParentPathRule.self, ZipNameTooLongRule.self, ZipNoLocalHeaderRule.self, ZipNotAZipRule.self,
        ZipOverlapRule.self, ZipPartlyEncryptedRule.self, ZipPasswordMissingRule.self, ZipPasswordWrongRule.self,
        ZipRatioRule.self, ZipSeveralDisksRule.self, ZipSizeLiesRule.self, ZipStoredSizeRule.self,
        ZipTooLargeRule.self, ZipTooManyMembersRule.self, ZipTrailingDataRule.self, ZipTruncatedRule.self,
        ZipTypeRule.self, ZipUnicodePathRule.self, ZipVersionRule.self, ZipWrongCountRule.self,
    ]
}
