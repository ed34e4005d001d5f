// Package forecast says what computations on a stream come to before they run: groundings, factors, memory and time.
package forecast
