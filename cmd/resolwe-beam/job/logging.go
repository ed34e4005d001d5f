package job

import (
	"context"
	"log/slog"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// setLog makes Beam log to a logger. Except for warnings, its messages are only for developers.
func setLog(to *slog.Logger) {
	slog.SetDefault(to)
	log.SetLogger(logger{to})
}

// logger passes Beam's messages to a logger.
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
