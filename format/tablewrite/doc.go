// Package tablewrite writes tables for other programs, as CSV, Parquet or JSON.
//
// A CSV file begins with a line of the columns' names. Text that a spreadsheet would run as a formula, as it begins with =, +, -, @,
// a tab or a carriage return and is no number, gets an apostrophe in front, and so does text that begins with one: the first apostrophe of a
// cell is never its text's. Numbers have the shortest form that reads back as the same one; truth values are 1 and 0, dates and
// moments as ISO 8601 writes them, and null is an empty cell.
//
// A Parquet file has strings (UTF-8, other bytes replaced), doubles, 64-bit integers, booleans, dates, and moments in microseconds of UTC, each of them optional, and the
// columns' titles as metadata of the file, under their names.
//
// A JSON file is an array of objects, one a line, whose members are called as the columns and in their order.
package tablewrite
