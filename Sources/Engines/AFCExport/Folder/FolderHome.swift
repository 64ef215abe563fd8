internal import AFCText

/// The first page of a folder: its sites, and a search over them.
enum FolderHome {
    /// Returns the page.
    ///
    /// - Parameters:
    ///   - sites: The sites.
    ///   - hasSearch: True if there is a search.
    ///   - address: Returns the relative address of a site's start page.
    /// - Returns: The HTML.
    static func page(_ sites: [ExportedSite], hasSearch: Bool, _ address: (ExportedSite) -> String) -> String {
        """
        <!doctype html>
        <html lang=en>
        <meta charset=utf-8>
        <meta http-equiv=Content-Security-Policy content="default-src 'self' file: data: 'unsafe-inline'">
        <meta name=viewport content="width=device-width,initial-scale=1">
        <title>\(Markup.escaped(HomeParts.title(sites)))</title>
        <style>
        \(HomeParts.style)
        </style>
        <h1>\(sites.count == 1 ? "Packed site" : "Packed sites")</h1>
        \(hasSearch ? form + "\n" : "")\(HomeParts.list(sites, address))
        \(hasSearch ? "<script src=\"\(FolderOutput.ownFolder)/search.js\"></script>\n" : "")
        """
    }

    private static let form = """
        <form role=search id=f><input type=search id=q placeholder="Search these pages" aria-label="Search these pages" \
        autocomplete=off autofocus></form>
        <p id=n role=status></p>
        <ol id=r></ol>
        """

    /// The script of the search, which loads the words as scripts, since a file can't be fetched.
    static let script = """
        \(HomeParts.search)
        {
          const folder = document.currentScript.src.replace(/[^/]*$/, '');
          afcacheSearch(name => new Promise(done => {
            const script = document.createElement('script');
            script.src = folder + name;
            script.onload = script.onerror = done;
            document.head.append(script);
          }), path => path.split('/').map(encodeURIComponent).join('/'));
        }

        """
}
