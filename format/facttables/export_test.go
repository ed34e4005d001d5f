package facttables

// Groups lets at most so many bytes of records be in memory at once.
func (f *Facts) Groups(bytes int64) { f.group = bytes }
