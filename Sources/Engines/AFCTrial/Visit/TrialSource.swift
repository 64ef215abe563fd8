package import AFCBrowser

/// Answers the requests of the pages in a trial.
package protocol TrialSource: Sendable {
    /// Answers a request.
    ///
    /// - Parameter request: The request of a page.
    /// - Returns: The answer for the browser, and the fate of the request.
    func answer(_ request: PageRequest) async -> (RenderAnswer, PageObservation.Fate)
}
