// Package tablefile reads tables from CSV, TSV and Parquet files.
package tablefile
