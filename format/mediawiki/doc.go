// Package mediawiki turns the dumps of a wiki, such as those of Wikipedia at dumps.wikimedia.org, into tables: who edited which article,
// who wrote to whom, what links to what. It stands apart from the other formats: the rest reads its tables with resolwe/format/table, like
// any others.
//
// The dumps are read once, from beginning to end. Memory holds the titles of the articles and their numbers, about a hundred bytes each,
// and the targets in linktarget, but not the edits or links. Rows that have to wait until all pages are known go to a temporary file.
package mediawiki
