#!/bin/sh
# Draws docs/report.png, the top of the demo's report as README.md shows it, in a headless Chromium: docs/picture.sh from anywhere.
set -eu
cd "$(dirname "$0")/.."
page=$(mktemp -d)
trap 'rm -r "$page"' EXIT
go run ./cmd/resolwe demo --progress never --report "$page/demo.html"
"$(command -v chromium || command -v chromium-browser || command -v google-chrome)" --headless --no-sandbox --disable-gpu --hide-scrollbars \
  --user-data-dir="$page/profile" --window-size=1100,800 --force-device-scale-factor=0.9 --screenshot="$PWD/docs/report.png" "file://$page/demo.html" 2>/dev/null
