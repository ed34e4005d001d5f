package job

import (
	"context"
	"log/slog"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// setLog has Beam, its runners included, log to a logger. What they say is of interest to developers, but for warnings.
func setLog(to *slog.Logger) {
	slog.SetDefault(slog.New(demoted{to.Handler()}))
	log.SetLogger(logger{to})
}

// logger is Beam's view of a logger.
type logger struct{ to *slog.Logger }

// Log logs a message.
func (l logger) Log(ctx context.Context, severity log.Severity, _ int, message string) {
	if severity <= log.SevDebug {
		return
	}
	level := slog.LevelDebug
	if severity >= log.SevWarn {
		level = slog.LevelWarn
	}
	l.to.Log(ctx, level, strings.TrimSpace(message))
}

// demoted is the handler of what a runner in this process says.
type demoted struct{ slog.Handler }

// Enabled reports whether a message is shown: debugging ones never are, informing ones as the program's debugging.
func (d demoted) Enabled(ctx context.Context, level slog.Level) bool {
	return level > slog.LevelDebug && d.Handler.Enabled(ctx, demotedLevel(level))
}

// Handle shows a message.
func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = demotedLevel(r.Level)
	return d.Handler.Handle(ctx, r)
}

func demotedLevel(level slog.Level) slog.Level {
	if level < slog.LevelWarn {
		return slog.LevelDebug
	}
	return level
}
