package resolwe

// Share runs tasks as a worker does, while so many others are busy.
func Share(workers, busy, n int, task func(i int)) {
	h := newHelpers(workers)
	for range busy {
		h.begin()
	}
	h.begin()
	defer h.end()
	h.run(n, task)
}
