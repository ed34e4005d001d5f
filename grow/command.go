package grow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Command is a Fetcher that asks an external program. Each batch is one line, a JSON object with a list of look-ups. For each look-up, in
// order, the program answers with one line: an object with its id and a list of facts.
type Command struct {
	timeout time.Duration
	command *exec.Cmd
	stdin   io.WriteCloser
	answers chan line
	end     context.CancelFunc // kills the program
	batch   int
	line    int
}

// line is one line of output, or the reason why there are no more.
type line struct {
	text []byte
	err  error
}

// longestLine bounds an answer, in bytes.
const longestLine = 64 << 20

// NewCommand starts a command line in a shell and copies its stderr to messages. Each batch must be answered within the timeout, above 0.
func NewCommand(ctx context.Context, commandLine string, timeout time.Duration, messages io.Writer) (*Command, error) {
	ctx, end := context.WithCancel(ctx)
	c := &Command{timeout: timeout, command: exec.CommandContext(ctx, "sh", "-c", commandLine), answers: make(chan line), end: end} // #nosec G204 -- the user's
	c.command.Stderr, c.command.WaitDelay = messages, time.Second
	together(c.command)
	var err error
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", commandLine, err)
	}
	go c.read(ctx, stdout)
	return c, nil
}

// read passes on the lines that the command prints.
func (c *Command) read(ctx context.Context, from io.Reader) {
	defer close(c.answers)
	s := bufio.NewScanner(from)
	s.Buffer(nil, longestLine)
	send := func(l line) bool {
		select {
		case c.answers <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for s.Scan() {
		if !send(line{text: bytes.Clone(s.Bytes())}) {
			return
		}
	}
	if s.Err() != nil {
		send(line{err: s.Err()})
	}
}

// request is a batch of look-ups.
type request struct {
	Batch   int      `json:"batch"`
	Lookups []Lookup `json:"lookups"`
}

// Fetch sends a batch and reads the answers. The error is an *AnswerError, or the command's own.
func (c *Command) Fetch(ctx context.Context, lookups []Lookup) ([]Answer, error) {
	c.batch++
	text, err := json.Marshal(request{c.batch, lookups})
	if err != nil {
		return nil, err
	}
	written := make(chan error, 1)
	go func() { // the command may answer before it has read the whole batch
		_, err := c.stdin.Write(append(text, '\n'))
		written <- err
	}()
	late := time.NewTimer(c.timeout)
	defer late.Stop()
	out := make([]Answer, len(lookups))
	for i := range out {
		select {
		case l, ok := <-c.answers:
			c.line++
			if !ok {
				return nil, c.ended()
			}
			if l.err != nil {
				return nil, &AnswerError{c.line, l.err.Error()}
			}
			if out[i], err = c.answer(l.text, lookups[i].ID); err != nil {
				return nil, err
			}
		case <-late.C:
			return nil, &AnswerError{c.line + 1, fmt.Sprintf("none came within %v, to look-up %d", c.timeout, lookups[i].ID)}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	select {
	case err = <-written:
	case <-late.C:
		err = fmt.Errorf("the command did not read its input within %v", c.timeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return out, err
}

// ended returns how the command ended before it had answered.
func (c *Command) ended() error {
	_ = c.stdin.Close()
	defer time.AfterFunc(c.timeout, c.end).Stop()
	reason := "the command ended before it had answered"
	if err := c.command.Wait(); err != nil {
		reason += ": " + err.Error()
	}
	return &AnswerError{c.line, reason}
}

// answer parses one answer.
func (c *Command) answer(text []byte, id int) (Answer, error) {
	fail := func(format string, args ...any) (Answer, error) {
		return Answer{}, &AnswerError{c.line, fmt.Sprintf(format, args...)}
	}
	var in struct {
		ID    *int        `json:"id"`
		Facts *[][]string `json:"facts"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || d.More() {
		return fail("not an object with an id and facts: %.60q", text)
	}
	switch {
	case in.ID == nil || in.Facts == nil:
		return fail("an answer has an id and facts, none: []")
	case *in.ID < id && *in.ID > 0:
		return fail("look-up %d is answered again; %d is next", *in.ID, id)
	case *in.ID != id:
		return fail("look-up %d is answered; %d is next", *in.ID, id)
	}
	return Answer{*in.Facts, c.line}, nil
}

// Close ends the command: it kills it after a failure, and otherwise closes its input. It returns an error if the command prints more or fails.
func (c *Command) Close(failed bool) error {
	defer c.end()
	err := c.stdin.Close()
	if failed {
		c.kill()
		return nil
	}
	late := time.NewTimer(c.timeout)
	defer late.Stop()
	select {
	case l, ok := <-c.answers:
		if ok {
			c.kill()
			return &AnswerError{c.line + 1, fmt.Sprintf("more than was asked for: %.60q", l.text)}
		}
	case <-late.C:
		c.kill()
		return fmt.Errorf("the command did not end within %v of the end of its input", c.timeout)
	}
	if failed := c.command.Wait(); failed != nil {
		return fmt.Errorf("the command answered, then failed: %w", failed)
	}
	return err
}

// kill kills the command.
func (c *Command) kill() {
	c.end()
	_ = c.command.Wait() // it reports that it was killed
}
