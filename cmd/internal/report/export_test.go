package report

import "resolwe/internal/render"

// What is printed without memory of its own.
var (
	AppendText   = appendText
	AppendNumber = render.Number.AppendJSON
)
