/* Functions of SQLite that take a variable number of arguments, and results that are made by several macros; Swift can
   call and read neither. */
#include <sqlite3.h>

/* Makes a connection refuse SQL that could damage the file, whoever wrote that SQL (SQLITE_DBCONFIG_DEFENSIVE). */
static inline int afcache_sqlite_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/* Makes a connection obey foreign keys, and refuse names in double quotes as strings. */
static inline int afcache_sqlite_strict(sqlite3 *connection) {
    int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)0);
    if (result == SQLITE_OK) result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return result == SQLITE_OK ? sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0) : result;
}

/* Returns 1 if a result says that the disk has no room, for the shared memory of a log as well. */
static inline int afcache_sqlite_without_room(int result) {
    return result == SQLITE_FULL || result == SQLITE_IOERR_SHMSIZE || result == SQLITE_IOERR_SHMOPEN
        || result == SQLITE_IOERR_SHMMAP;
}
