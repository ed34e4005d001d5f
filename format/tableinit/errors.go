package tableinit

import "fmt"

// UsageError says what of the request cannot be, and what to write.
type UsageError struct{ Message string }

// Error is the message.
func (e *UsageError) Error() string { return e.Message }

// IsUsage reports true.
func (*UsageError) IsUsage() bool { return true }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }
