package stage

import (
	"encoding/json"
	"sync"

	"resolwe/cmd/resolwe-beam/job"
)

// slots are for elements that are worked on, of which some runners give a process more.
var slots = make(chan struct{}, job.AtOnce)

// latest keeps the last value that was made for a key, so that the DoFns of a process, of which a runner makes as many as
// it likes, share it and its memory.
type latest[V any] struct {
	mu    sync.Mutex
	key   string
	value V
}

// get returns the value for what the key prints as JSON.
func (l *latest[V]) get(key any, prepare func() (V, error)) (V, error) {
	text, err := json.Marshal(key)
	if err != nil {
		return *new(V), err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == string(text) {
		return l.value, nil
	}
	value, err := prepare()
	if err == nil {
		l.key, l.value = string(text), value
	}
	return value, err
}
