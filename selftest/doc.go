// Package selftest checks the library, as built and on the machine where it runs: samplers and learners against enumeration on
// small networks, counts against their definition, and streams and numbers of workers against one another.
//
// Comparisons that involve chance are bets, whose rate of false alarms holds for any distribution of the observations: a correct
// library fails a self-test with a probability of at most [FalseAlarm]. Everything else must be equal, or equal up to rounding.
package selftest
