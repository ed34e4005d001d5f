package facts

// SetMaxLine bounds the lines of a reader.
func SetMaxLine(r *Reader, n int) { r.scan.src.maxLine = n }
