package paperscale

// Figure returns a figure by its name, 0 where there is none.
func (s *Stats) Figure(name string) float64 {
	for _, f := range s.Figures {
		if f.Name == name {
			return f.Generated
		}
	}
	return 0
}
