// Command resolwe-import copies the tables of a PostgreSQL, MySQL, MariaDB or SQLite database into Parquet files, with the keys and references
// that the database declares. See docs/import.md, and resolwe-import --help.
package main
