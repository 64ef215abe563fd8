/* A function of SQLite that takes a variable number of arguments, which Swift can't call. */
#include <sqlite3.h>

/* Makes a connection refuse SQL that could damage the file, whoever wrote that SQL (SQLITE_DBCONFIG_DEFENSIVE). */
static inline int afcache_sqlite_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
