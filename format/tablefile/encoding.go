package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"resolwe/format/table"
)

// decoder turns a text of another encoding into UTF-8.
type decoder struct {
	in   *bufio.Reader
	next func(*decoder) (rune, error)
	high bool // bytes of a character come with the high one first
	out  []byte
	err  error
}

// decoded returns in as UTF-8. UTF-16 is told by its mark, where the encoding is not.
func decoded(in *bufio.Reader, encoding string) io.Reader {
	d := &decoder{in: in}
	mark, _ := in.Peek(2) // an error comes again
	switch {
	case string(mark) == "\xff\xfe" && encoding == "" || encoding == table.EncodingUTF16LE:
		d.next = (*decoder).utf16
	case string(mark) == "\xfe\xff" && encoding == "" || encoding == table.EncodingUTF16BE:
		d.next, d.high = (*decoder).utf16, true
	case encoding == table.EncodingLatin1:
		d.next = (*decoder).latin1
	default:
		return in
	}
	if d.high && bytes.Equal(mark, []byte("\xfe\xff")) || !d.high && d.next != nil && string(mark) == "\xff\xfe" && encoding != table.EncodingLatin1 {
		_, _ = in.Discard(len(mark))
	}
	return d
}

// Read reads UTF-8.
func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) < len(p) && d.err == nil {
		var r rune
		if r, d.err = d.next(d); d.err == nil {
			d.out = utf8.AppendRune(d.out, r)
		}
	}
	n := copy(p, d.out)
	d.out = d.out[:copy(d.out, d.out[n:])]
	if n == 0 {
		return 0, d.err
	}
	return n, nil
}

// upper are the characters that Windows-1252 has where Latin-1 has controls; texts that are said to be of the latter mean it.
var upper = [...]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func (d *decoder) latin1() (rune, error) {
	c, err := d.in.ReadByte()
	if c >= 0x80 && c < 0x80+byte(len(upper)) {
		return upper[c-0x80], err
	}
	return rune(c), err
}

func (d *decoder) unit() (rune, error) {
	a, err := d.in.ReadByte()
	if err != nil {
		return 0, err
	}
	b, err := d.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if d.high {
		a, b = b, a
	}
	return rune(a) | rune(b)<<8, err
}

func (d *decoder) utf16() (rune, error) {
	r, err := d.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	low, err := d.unit()
	if errors.Is(err, io.EOF) { // the text ends within a character
		return 0, io.ErrUnexpectedEOF
	}
	if r = utf16.DecodeRune(r, low); err == nil && r == utf8.RuneError {
		return 0, errSurrogate
	}
	return r, err
}
