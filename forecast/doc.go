// Package forecast estimates the cost of computations on a stream before they run: groundings, factors, memory and time.
package forecast
