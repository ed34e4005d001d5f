package lex

import "bytes"

// Misread says why a text that begins with the given bytes would be misread, and what to do: it is UTF-16, or its lines end in carriage
// returns alone. It returns "" for other texts.
func Misread(head []byte) string {
	if len(head) > 1 && (head[0]|head[1] == 0xff && head[0]&head[1] == 0xfe || (head[0] == 0) != (head[1] == 0)) {
		return "the text is UTF-16: save it as UTF-8"
	}
	line, _, ended := bytes.Cut(head, []byte("\n"))
	if at := bytes.IndexByte(line, '\r'); !ended && at >= 0 && len(bytes.Trim(line[at:], "\r")) > 0 && bytes.Count(line[:at], []byte{'"'})%2 == 0 {
		return "lines end in carriage returns alone, as on old Macs: end them in line feeds"
	}
	return ""
}
