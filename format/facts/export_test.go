package facts

// SetMaxLine bounds the lines of a reader.
func SetMaxLine(r *Reader, n int) { r.scan.maxLine = n }
