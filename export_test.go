package resolwe

// WithStates returns the options with a bound on the states that may be enumerated for the objective.
func WithStates(o LearnOptions, n int) LearnOptions {
	o.states = n
	return o
}

// Rewrite decodes a checkpoint and encodes it again.
func Rewrite(data []byte) ([]byte, error) {
	c, err := decoded(data)
	if err != nil {
		return nil, err
	}
	return c.encode(), nil
}

func decoded(data []byte) (*Checkpoint, error) {
	r, run, err := learnForm.Read(data)
	if err != nil {
		return nil, err
	}
	return decodeCheckpoint(r, run)
}

// Moved says in a checkpoint that the run stands somewhere else.
func Moved(data []byte, pass, next, seen int) []byte {
	c, err := decoded(data)
	if err != nil {
		panic(err)
	}
	c.Pass, c.Next, c.Seen = pass, next, seen
	return c.encode()
}
