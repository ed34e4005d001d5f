// Package selftest holds the library, as it was built and on the machine where it runs, against enumeration: samplers and
// learners on networks small enough for it, counts against their definition, streams and numbers of workers against each
// other.
//
// Comparisons that involve chance are bets, whose rate of false alarms holds whatever the distribution of what is observed:
// a sound library fails a self-test with a probability of at most [FalseAlarm]. All else has to be equal, or equal but for
// rounding.
package selftest
