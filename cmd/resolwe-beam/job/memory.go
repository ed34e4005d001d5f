package job

import (
	"context"
	"os"
	"sync"

	"resolwe/cmd/internal/console"
	"resolwe/internal/machine"
)

var bounding sync.Once

// BoundMemory bounds the memory of this process, see machine.Watch; only the first call in a process has an effect. bound is the value of
// --memory, 0 if not given.
func BoundMemory(bound machine.Size, over func(error)) {
	bounding.Do(func() { machine.Watch(bound, "--memory", over) })
}

// BoundWorker bounds the memory of this process unless it is the program's own. If the bound is exceeded, it reports that in the mailbox
// and ends the process.
func (b Mailbox) BoundWorker(bound machine.Size) {
	BoundMemory(bound, func(err error) {
		_ = b.Fail(context.Background(), err) // if this fails, the runner just reports a lost worker
		os.Exit(console.Memory)
	})
}
