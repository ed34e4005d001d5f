// Package console handles what programs show to people: messages, and results that fit the width and colours of a terminal. It also
// determines exit statuses.
package console
