package main

// SelftestText is selftestText.
var SelftestText = selftestText
