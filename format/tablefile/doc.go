// Package tablefile reads tables from CSV, TSV, JSON lines and Parquet files.
package tablefile
