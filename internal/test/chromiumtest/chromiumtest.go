// Package chromiumtest shows pages in a headless Chromium, for tests. It uses the DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol) over a pair of pipes.
package chromiumtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// patience is the time limit for an answer.
const patience = time.Minute

// Browser is a Chromium with one page.
type Browser struct {
	t        *testing.T
	commands *os.File
	answers  chan message
	session  string
	calls    int
	said     []string // console messages, exceptions and log entries since Visit
	loaded   bool     // since Visit
}

// message is an answer to a call, or an event.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Open starts a browser that ends with the test. Without a browser, the test is skipped.
func Open(t *testing.T) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium here, in which the page is looked at")
	}
	theirs, commands, err := os.Pipe()
	check.OK(t, err)
	answers, ours, err := os.Pipe()
	check.OK(t, err)
	c := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank") // #nosec G204 -- one of the names above
	c.ExtraFiles = []*os.File{theirs, ours}
	check.OK(t, c.Start())
	check.OK(t, theirs.Close())
	check.OK(t, ours.Close())
	b := &Browser{t: t, commands: commands, answers: make(chan message, 1024)}
	go b.listen(answers)
	t.Cleanup(func() {
		b.session = ""
		b.Call("Browser.close", nil, nil)
		_ = c.Wait()
		_ = commands.Close()
		_ = answers.Close()
	})
	var target struct{ TargetID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
	return b
}

// listen receives messages, which end with a NUL.
func (b *Browser) listen(answers *os.File) {
	defer close(b.answers)
	in := bufio.NewReader(answers)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) == nil {
			b.answers <- m
		}
	}
}

// next returns the next message, and records what the page logs.
func (b *Browser) next() message {
	b.t.Helper()
	select {
	case m, open := <-b.answers:
		if !open {
			b.t.Fatal("Chromium ended")
		}
		switch m.Method {
		case "Page.loadEventFired":
			b.loaded = true
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
			b.said = append(b.said, m.Method+" "+string(m.Params))
		}
		return m
	case <-time.After(patience):
		b.t.Fatal("Chromium does not answer")
		return message{}
	}
}

// Call calls a method of the protocol. out may be nil.
func (b *Browser) Call(method string, params, out any) {
	b.t.Helper()
	b.calls++
	call := map[string]any{"id": b.calls, "method": method}
	if params != nil {
		call["params"] = params
	}
	if b.session != "" {
		call["sessionId"] = b.session
	}
	text, err := json.Marshal(call)
	check.OK(b.t, err)
	_, err = b.commands.Write(append(text, 0))
	check.OK(b.t, err)
	for {
		m := b.next()
		if m.ID != b.calls {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if out != nil {
			check.OK(b.t, json.Unmarshal(m.Result, out))
		}
		return
	}
}

// Visit shows a file in a window of a given size in pixels, and returns what it wrote to the console.
func (b *Browser) Visit(path string, width, height int, dark bool) (said []string) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.said, b.loaded = nil, false
	b.Call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for !b.loaded {
		b.next()
	}
	b.Eval("document.readyState", nil) // by now, messages from loading have arrived
	return b.said
}

// Eval evaluates JavaScript on the page. Its value must be plain data. out may be nil.
func (b *Browser) Eval(expression string, out any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s\n%s", strings.TrimSpace(expression), answer.ExceptionDetails)
	}
	if out != nil {
		check.OK(b.t, json.Unmarshal(answer.Result.Value, out))
	}
}

// Screenshot writes the page, from a number of pixels below its top, as a PNG.
func (b *Browser) Screenshot(path string, top, width, height int) {
	b.t.Helper()
	var picture struct{ Data []byte }
	b.Call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{
		"x": 0, "y": top, "width": width, "height": height, "scale": 1,
	}}, &picture)
	check.OK(b.t, os.WriteFile(path, picture.Data, 0o600))
}
