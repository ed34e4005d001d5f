package stage

import (
	"encoding/json"
	"io/fs"
	"sync"

	"resolwe"
	"resolwe/format/lex"

	"resolwe/cmd/resolwe-beam/job"
)

// Task is what all stages tell the workers, as JSON: a model travels as the text of its files.
type Task struct {
	Model       string            `json:"model"` // path of the task file
	Files       map[string]string `json:"files"` // by path, with those that it includes
	Targets     []string          `json:"targets"`
	CNF         bool              `json:"cnf"`
	Workers     int               `json:"workers"` // goroutines on each machine, 0 for its cores
	SkipDamaged bool              `json:"skip_damaged"`
	Memory      uint64            `json:"memory"` // bytes of each process, 0 for what the machine allows
	Box         job.Mailbox       `json:"box"`

	// Constants are by type what a + before a variable stands for where no type line says that; nil where nothing asks.
	Constants map[string][]string `json:"constants,omitempty"`

	model *resolwe.Model
}

// NewTask reads the files of a model.
func NewTask(m *resolwe.Model, opt resolwe.ModelOptions, workers int, skipDamaged bool) (Task, error) {
	files := map[string]string{}
	for _, path := range m.Files() {
		text, err := lex.ReadFile(path)
		if err != nil {
			return Task{}, err
		}
		files[path] = string(text)
	}
	return Task{
		Model: m.Files()[0], Files: files, Targets: opt.Targets, CNF: opt.CNF, Workers: workers, SkipDamaged: skipDamaged,
	}, nil
}

// models are shared by the DoFns of a process.
var models latest[*resolwe.Model]

// load sets the model.
func (t *Task) load() error {
	if t.model != nil {
		return nil
	}
	key, err := json.Marshal(t)
	if err == nil {
		t.model, err = models.get(string(key), t.parse)
	}
	return err
}

func (t *Task) parse() (*resolwe.Model, error) {
	opt := resolwe.ModelOptions{Targets: t.Targets, CNF: t.CNF}
	if t.Constants != nil {
		opt.Constants = func(m *resolwe.Model, types []int) ([][]string, error) {
			lists := make([][]string, len(types))
			for i, k := range types {
				lists[i] = t.Constants[m.Schema.Types[k]]
			}
			return lists, nil
		}
	}
	opt.ReadFile = func(path string) ([]byte, error) {
		text, ok := t.Files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	return resolwe.ReadModel(t.Model, opt)
}

// run is how a shard is worked on.
func (t *Task) run() resolwe.Run { return resolwe.Run{Workers: t.Workers} }

// latest keeps the last value that was made for a key, so that the DoFns of a process, of which a runner makes as many as
// it likes, share it and its memory.
type latest[V any] struct {
	mu    sync.Mutex
	key   string
	value V
}

// get returns the value for a key.
func (l *latest[V]) get(key string, prepare func() (V, error)) (V, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == key {
		return l.value, nil
	}
	value, err := prepare()
	if err == nil {
		l.key, l.value = key, value
	}
	return value, err
}
