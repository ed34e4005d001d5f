package main

// SelftestDocument is selftestDocument.
var SelftestDocument = selftestDocument
