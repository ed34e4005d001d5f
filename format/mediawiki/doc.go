// Package mediawiki makes tables of the dumps of a wiki, such as dumps.wikimedia.org has of Wikipedia: who edited which
// article, who wrote to whom, what links to what. It is a package of its own, and below no other format, since nothing
// but the tables that it writes is shared with the rest: they are read by resolwe/format/table like any others.
//
// The dumps are read once, from beginning to end. What is kept in memory is the titles of the articles and their
// numbers, about a hundred bytes for each, and of linktarget what is linked, not the edits or links. Rows that have to
// wait until all pages are known do so in a temporary file.
package mediawiki
