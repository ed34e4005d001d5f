package stage

import (
	"encoding/json"
	"io/fs"
	"sync"

	"resolwe"
	"resolwe/format/lex"
	"resolwe/internal/stage/run"

	"resolwe/cmd/resolwe-beam/job"
)

// Task is what all stages send to the workers, as JSON: a model is sent as the text of its files.
type Task struct {
	Model       string            `json:"model"` // path of the task file
	Files       map[string]string `json:"files"` // by path, including included files
	Targets     []string          `json:"targets"`
	CNF         bool              `json:"cnf"`
	Workers     int               `json:"workers"` // goroutines on each machine, 0 for its cores
	SkipDamaged bool              `json:"skip_damaged"`
	Memory      uint64            `json:"memory"` // bytes for each process, 0 for what the machine allows
	Box         job.Mailbox       `json:"box"`

	// Constants are, by type, the values of a + before a variable if no type line gives them; nil if not needed.
	Constants map[string][]string `json:"constants,omitempty"`

	model    *resolwe.Model         // nil in a worker until it is loaded
	violated map[string]shardResult // by shard, where data violate a hard formula
}

// Violations returns what resolwe.Stream.Violations does, of the shards on which stages have worked.
func (t *Task) Violations() (first *run.Violation, n int) {
	for _, r := range t.violated {
		if n += r.Violations; first == nil || r.First.Index < first.Index {
			first = r.First
		}
	}
	return first, n
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
		Model: m.Files()[0], Files: files, Targets: opt.Targets, CNF: opt.CNF, Workers: workers, SkipDamaged: skipDamaged, model: m,
		violated: map[string]shardResult{},
	}, nil
}

// latest is the last model read. The DoFns of a process share it, since a runner may make any number of them.
var latest struct {
	sync.Mutex
	key   string
	model *resolwe.Model
}

// load sets the model in a worker.
func (t *Task) load() error {
	if t.model != nil {
		return nil
	}
	key, err := json.Marshal(t)
	if err != nil {
		return err
	}
	latest.Lock()
	defer latest.Unlock()
	if latest.key != string(key) {
		m, err := t.parse()
		if err != nil {
			return err
		}
		latest.key, latest.model = string(key), m
	}
	t.model = latest.model
	return nil
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

// run says how to process a shard.
func (t *Task) run() resolwe.Run { return resolwe.Run{Workers: t.Workers} }
