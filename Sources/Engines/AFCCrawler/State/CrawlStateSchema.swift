/// The tables in which a crawl's state is kept; see docs/crawler.md, "Interrupted".
enum CrawlStateSchema {
    /// Changes with the tables, or with what a value in them means.
    static let version = "2"

    /// The statements one by one, as SQLite keeps them.
    static let tables = Set(
        statements.split(separator: ";").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }.map(String.init)
    )

    static let statements = """
        CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE found (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            role INTEGER NOT NULL,
            depth INTEGER NOT NULL,
            redirects INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            destination TEXT NOT NULL,
            referrer INTEGER,
            optional INTEGER NOT NULL,
            superseded INTEGER NOT NULL DEFAULT 0,
            rule TEXT
        );
        CREATE TABLE result (
            id INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            requests INTEGER NOT NULL,
            elapsed INTEGER NOT NULL,
            received INTEGER NOT NULL,
            change TEXT,
            record TEXT,
            detail TEXT,
            extents TEXT,
            crc32 INTEGER,
            size INTEGER,
            compressed INTEGER,
            method INTEGER,
            notes TEXT
        );
        CREATE TABLE early (
            url TEXT PRIMARY KEY,
            destination TEXT NOT NULL,
            role INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            requests INTEGER NOT NULL,
            elapsed INTEGER NOT NULL,
            received INTEGER NOT NULL,
            change TEXT,
            record TEXT,
            detail TEXT,
            extents TEXT,
            crc32 INTEGER,
            size INTEGER,
            compressed INTEGER,
            method INTEGER,
            notes TEXT
        );
        """
}
