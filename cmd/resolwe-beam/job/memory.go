package job

import (
	"context"
	"os"
	"sync"

	"resolwe/cmd/internal/console"
	"resolwe/internal/machine"
)

var bounding sync.Once

// BoundMemory bounds the memory of this process, see machine.Watch; the first call in a process counts. bound is what the flag
// --memory says, 0 where it is not given.
func BoundMemory(bound machine.Size, over func(error)) {
	bounding.Do(func() { machine.Watch(bound, "--memory", over) })
}

// BoundWorker bounds the memory of this process, unless it is the program's. Where the bound is exceeded it leaves word, and
// ends the process.
func (b Mailbox) BoundWorker(bound machine.Size) {
	BoundMemory(bound, func(err error) {
		_ = b.Fail(context.Background(), err) // else the runner says that a worker has gone
		os.Exit(console.Memory)
	})
}
