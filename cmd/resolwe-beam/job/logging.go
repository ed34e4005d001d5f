package job

import (
	"context"
	"log/slog"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// setLog has Beam log to a logger. What it says is of interest to developers, but for warnings.
func setLog(to *slog.Logger) {
	slog.SetDefault(to)
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
