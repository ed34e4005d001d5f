// Package job runs pipelines on a Beam runner, and brings results and failures back to the program that started them.
package job
