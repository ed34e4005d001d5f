package stage

import (
	"encoding/json"
	"sync"
)

// atOnce is how many shards a process works on at one time, each on all cores: while one comes to its end, and has less
// and less for the cores to do, the next has begun.
const atOnce = 2

var slots = make(chan struct{}, atOnce)

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
