public import AFCFiles

#if Encryption
internal import CLibzip
#endif

extension CancellationFlag {
    /// Throws if the work was cancelled.
    ///
    /// - Throws: ``ZipError`` with the code ``ZipError/Code/cancelled``.
    public func check() throws(ZipError) {
        if isCancelled { throw .cancelled }
    }

    #if Encryption
    /// Makes libzip check the flag before each member.
    func onProgress(of archive: OpaquePointer) {
        let callback: zip_cancel_callback = { _, userData in
            guard let userData else { return 0 }
            return Unmanaged<CancellationFlag>.fromOpaque(userData).takeUnretainedValue().isCancelled ? 1 : 0
        }
        zip_register_cancel_callback_with_state(archive, callback, nil, Unmanaged.passUnretained(self).toOpaque())
    }
    #endif
}
