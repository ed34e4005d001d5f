// Package job runs pipelines on a Beam runner, and brings their results and failures back to the program that asked.
package job
