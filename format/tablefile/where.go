package tablefile

import (
	"cmp"

	"resolwe/format/table"
)

// condition tests the rows of a table.
type condition struct {
	*columnReader // of one entry, nil's for texts
	spec          *table.Condition
}

func newCondition(c *table.Condition) *condition {
	if c.Column.Func == "" {
		return &condition{&columnReader{spec: &c.Column}, c}
	}
	r := newColumnReader(nil, &c.Column, -1, new(table.Column))
	if r.column.Kind == table.KindFloat {
		r.wants += ", with which a condition compares it (where it is a date, say date(..) there)"
	}
	return &condition{r, c}
}

// holds reports whether a row meets the condition.
func (c *condition) holds(src source, cells [][]byte) (bool, error) {
	empty := c.isEmpty(cells)
	switch c.spec.Test {
	case table.TestEmpty:
		return empty, nil
	case table.TestNotEmpty:
		return !empty, nil
	case table.TestCompare:
	}
	if empty {
		return false, nil
	}
	order, err := c.compare(src, cells)
	return c.spec.Holds[order+1], err
}

// compare returns how a row's entry compares with the value of the condition.
func (c *condition) compare(src source, cells [][]byte) (int, error) {
	if c.read == nil {
		return cmp.Compare(string(cells[c.columns[0]]), c.spec.Text), nil
	}
	c.column.Nums, c.column.Floats = c.column.Nums[:0], c.column.Floats[:0]
	if bad, ok := c.read(cells); !ok {
		return 0, c.wrong(src, cells, bad)
	}
	if c.column.Kind == table.KindFloat {
		return cmp.Compare(c.column.Floats[0], c.spec.Float), nil
	}
	return cmp.Compare(c.column.Nums[0], c.spec.Num), nil
}
