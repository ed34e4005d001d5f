package elementary

// Powers returns the table of powers of two, as value and rest.
func Powers() (table [64][2]float64) {
	for j, p := range powers {
		table[j] = [2]float64{p.value, p.rest}
	}
	return table
}

// Inverses returns the table of inverses, as value, log and rest.
func Inverses() (table [64][3]float64) {
	for i, v := range inverses {
		table[i] = [3]float64{v.value, v.log, v.rest}
	}
	return table
}
