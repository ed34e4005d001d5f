package facttables

import (
	"encoding/binary"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// pending are records whose entities are looked up together.
type pending struct {
	records []byte
	wanted  []wanted // by type
	text    int      // bytes of the wanted names
	ids     []uint32 // scratch
}

// wanted are names that are to be looked up, and where their ids go.
type wanted struct {
	text []byte
	ends []int
	at   []uint32
}

// pendingBytes is how many bytes of records and names are pending at most, but for the last one.
const pendingBytes = 256 << 10

// begin begins a record, with the words of a subgraph, a table and truth, and returns where.
func (f *Facts) begin(sub uint32, table int, truth subgraph.Truth) int {
	start := len(f.pending.records)
	f.pending.records = binary.LittleEndian.AppendUint32(f.pending.records, sub)
	f.pending.records = binary.LittleEndian.AppendUint32(f.pending.records, uint32(table)<<2|uint32(truth))
	return start
}

// name adds an entity to the record.
func (f *Facts) name(r *rows, column, typ int) error {
	if r.empty(column) {
		return r.fault(column, "the cell is empty; it names an entity of type %s", f.schema.Types[typ])
	}
	name := r.cells[column]
	if f.schema.IsNumber(typ) {
		v, ok := mln.ParseNumber(string(name))
		if !ok {
			return r.fault(column, "%s is not a finite number", clip(string(name)))
		}
		name = []byte(mln.FormatNumber(v))
	}
	w := &f.pending.wanted[typ]
	w.text = append(w.text, name...)
	w.ends, w.at = append(w.ends, len(w.text)), append(w.at, uint32(len(f.pending.records)))
	f.pending.records = binary.LittleEndian.AppendUint32(f.pending.records, none)
	f.pending.text += len(name)
	return nil
}

// end ends the record that begins at start.
func (f *Facts) end(sub uint32, start int) error {
	f.heads[sub].bytes += int64(len(f.pending.records) - start)
	if len(f.pending.records)+f.pending.text < pendingBytes {
		return nil
	}
	return f.flush()
}

// flush writes the pending records.
func (f *Facts) flush() error {
	_, err := f.out.Write(f.resolve())
	f.pending.records, f.pending.text = f.pending.records[:0], 0
	return err
}

// resolve returns the pending records with the ids of their entities.
func (f *Facts) resolve() []byte {
	for t := range f.pending.wanted {
		w := &f.pending.wanted[t]
		f.pending.ids = f.entities[t].InternAll(f.pending.ids[:0], w.text, w.ends)
		for i, id := range f.pending.ids {
			binary.LittleEndian.PutUint32(f.pending.records[w.at[i]:], id)
		}
		w.text, w.ends, w.at = w.text[:0], w.ends[:0], w.at[:0]
	}
	return f.pending.records
}
