package pool

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic in a callback, turned into an error.
//
// If Value is an error, PanicError unwraps to it. A fault in mapped memory, for example because a file became shorter, is such an
// error: a [runtime.Error] with a method Addr() uintptr.
type PanicError struct {
	Item  uint64 // position in the stream of the item being processed, from 0
	Value any    // what panic was called with
	Stack []byte // the goroutine's stack at the panic, as text
}

// NewPanicError returns the error of a panic that was just recovered. A panic of Helpers.Run keeps the value and the stack of its task.
func NewPanicError(item uint64, value any) *PanicError {
	if p, ok := value.(*PanicError); ok {
		return &PanicError{Item: item, Value: p.Value, Stack: p.Stack}
	}
	return &PanicError{Item: item, Value: value, Stack: debug.Stack()}
}

// Error gives the item and the value, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic at item %d: %v", e.Item, e.Value)
}

// Unwrap returns Value if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
