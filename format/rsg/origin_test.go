package rsg_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// ofDraws is what a stream of half true, half false atoms may have been made of.
func ofDraws() *origin.Origin {
	return &origin.Origin{
		Draws: []origin.Draw{
			{Target: "likes", Truth: true, Eligible: 3, Kept: 3},
			{Target: "likes", Stratum: "2", Eligible: 97, Kept: 3},
		},
		Columns: []origin.Column{{Table: "people", Name: "age <&>", Kind: "number", Bars: []float64{.5, 1}, Typical: "41", Distinct: 7, Use: "used"}},
		Trusted: []string{"people.age"}, Drafted: true,
	}
}

// withOrigin writes the samples, and what they were made of.
func withOrigin(tb testing.TB, o *origin.Origin) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := rsg.NewWriter(&out, social(), rsg.WriterOptions{Zstd: true})
	check.OK(tb, err)
	for _, s := range samples(tb) {
		check.OK(tb, w.Write(s))
	}
	check.OK(tb, w.SetOrigin(o))
	check.OK(tb, w.Close())
	return out.Bytes()
}

// originOf reads a stream to its end from the front, or maps it.
func originOf(data []byte, mapped bool) (*origin.Origin, error) {
	if mapped {
		f, err := rsg.Open(data, "x", rsg.ReaderOptions{})
		if err != nil {
			return nil, err
		}
		return f.Origin(), nil
	}
	r, err := rsg.NewReader(bytes.NewReader(data), "x", rsg.ReaderOptions{})
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r.Origin(), nil
}

func TestOrigin_IsReadBack(t *testing.T) {
	t.Parallel()
	plain := encode(t, social(), rsg.WriterOptions{Zstd: true}, samples(t)...)
	for _, none := range []*origin.Origin{nil, {}} {
		if !bytes.Equal(withOrigin(t, none), plain) {
			t.Error("a stream that tells nothing has other bytes than one without")
		}
	}
	told := withOrigin(t, ofDraws())
	check.OK(t, check.Err(rsg.Verify(bytes.NewReader(told), "x")))
	for name, read := range readers {
		list, err := read(told, rsg.ReaderOptions{})
		check.OK(t, err)
		check.Is(t, len(list), 3, "subgraphs, %s", name)
	}
	for _, mapped := range []bool{false, true} {
		got, err := originOf(told, mapped)
		check.OK(t, err)
		check.Equal(t, "origin", got, ofDraws())
		got, err = originOf(plain, mapped)
		check.OK(t, err)
		check.Is(t, got, nil, "origin of a stream without")
	}
}

// TestOrigin_AnyBytes replaces the JSON by other texts of its length, and the section by others.
func TestOrigin_AnyBytes(t *testing.T) {
	t.Parallel()
	whole := withOrigin(t, ofDraws())
	at := bytes.LastIndex(whole, []byte(`{"draws"`))
	size := bytes.LastIndexByte(whole, '}') + 1 - at
	frame := at - 64
	for _, row := range []struct {
		name, text string
		good       bool
	}{
		{"no JSON", "{", false},
		{"a list", "[]", false},
		{"unknown members", `{"later":[1,{"x":null}]}`, true},
		{"negative", `{"draws":[{"eligible":-1,"kept":-1}]}`, false},
		{"more kept", `{"draws":[{"eligible":1,"kept":2}]}`, false},
		{"sums that overflow", `{"draws":[{"eligible":9223372036854775807}]}`, false},
		{"no whole number", `{"draws":[{"eligible":1.5}]}`, false},
		{"an infinite share", `{"columns":[{"share":1e999}]}`, false},
		{"a share above 1", `{"columns":[{"missing":2}]}`, false},
		{"bars below 0", `{"columns":[{"bars":[-1]}]}`, false},
		{"many bars", `{"columns":[{"bars":[1,1,1,1,1,1,1,1,1,1,1,1,1]}]}`, false},
	} {
		data := bytes.Clone(whole)
		copy(data[at:at+size], row.text+strings.Repeat(" ", size))
		rsgtest.Reseal(data)
		for _, mapped := range []bool{false, true} {
			if _, err := originOf(data, mapped); (err == nil) != row.good || err != nil && !errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("%s, mapped %v: got %v", row.name, mapped, err)
			}
		}
		if _, err := rsg.Verify(bytes.NewReader(data), "x"); (err == nil) != row.good {
			t.Errorf("%s: Verify says %v", row.name, err)
		}
	}
	for i := frame; i < at+size; i++ { // any byte of the frame
		data := bytes.Clone(whole)
		data[i] ^= 0x20
		for _, mapped := range []bool{false, true} {
			if _, err := originOf(data, mapped); err != nil && !errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("byte %d, mapped %v: got %v", i-frame, mapped, err)
			}
		}
		check.ErrorIs(t, check.Err(rsg.Verify(bytes.NewReader(data), "x")), subgraph.ErrCorrupt, "byte %d", i-frame)
	}
}

// TestOrigin_Damaged skips a damaged origin: the subgraphs are good.
func TestOrigin_Damaged(t *testing.T) {
	t.Parallel()
	data := withOrigin(t, ofDraws())
	data[bytes.LastIndex(data, []byte(`{"draws"`))] ^= 1
	list, err := readPipe(data, rsg.ReaderOptions{SkipDamaged: true})
	check.OK(t, err)
	check.Is(t, len(list), 3, "subgraphs")
}

func TestWriter_SetOrigin(t *testing.T) {
	t.Parallel()
	w, err := rsg.NewWriter(io.Discard, social(), rsg.WriterOptions{})
	check.OK(t, err)
	check.Fails(t, w.SetOrigin(&origin.Origin{Draws: []origin.Draw{{Eligible: 1, Kept: 2}}}), "more kept than eligible")
	long := ofDraws()
	long.Draws[0].Stratum = strings.Repeat("x", origin.MaxText)
	check.ErrorIs(t, w.SetOrigin(long), origin.ErrTooLong, "a long name")
}
