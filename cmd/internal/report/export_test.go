package report

// What is printed without memory of its own.
var (
	AppendText   = appendText
	AppendNumber = Number.appendJSON
)
