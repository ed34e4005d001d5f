package mediawiki

import (
	"bytes"
	"slices"
)

// domainOf returns the host of a URL in lower case, without its port and the dot of the root. A URL without a host, such as a mail address,
// has none.
func domainOf(url []byte) ([]byte, bool) {
	i := bytes.Index(url, []byte("//"))
	if i < 0 || i > 0 && url[i-1] != ':' {
		return nil, false
	}
	host := url[i+2:]
	if end := bytes.IndexAny(host, "/?#\\"); end >= 0 {
		host = host[:end]
	}
	host = host[bytes.LastIndexByte(host, '@')+1:]
	if i := bytes.IndexByte(host, ']'); i >= 0 && host[0] == '[' { // an IPv6 address
		host = host[:i+1]
	} else {
		host, _, _ = bytes.Cut(host, []byte(":"))
	}
	host = bytes.TrimSuffix(host, []byte("."))
	return bytes.ToLower(host), len(host) > 0
}

// appendURL appends the URL for a domain index of externallinks, such as https://org.example.www., and a path.
func appendURL(dst, index, path []byte) []byte {
	i := bytes.Index(index, []byte("//"))
	if i < 0 {
		return append(append(dst, index...), path...)
	}
	dst = append(dst, index[:i+2]...)
	host, port := index[i+2:], []byte(nil)
	if i := bytes.IndexByte(host, ':'); i >= 0 {
		host, port = host[:i], host[i:]
	}
	return append(append(appendHost(dst, host), port...), path...)
}

// appendHost appends a host that is given in reverse: org.example.www. or V4.192.0.2.1.
func appendHost(dst, host []byte) []byte {
	host = bytes.TrimSuffix(host, []byte("."))
	if rest, ok := bytes.CutPrefix(host, []byte("V4.")); ok {
		return append(dst, rest...)
	}
	if rest, ok := bytes.CutPrefix(host, []byte("V6.")); ok {
		dst = append(dst, '[')
		dst = append(dst, bytes.ReplaceAll(rest, []byte("."), []byte(":"))...)
		return append(dst, ']')
	}
	labels := bytes.Split(host, []byte("."))
	slices.Reverse(labels)
	return append(dst, bytes.Join(labels, []byte("."))...)
}

// clean makes a value of an SQL dump fit for a table: control characters become blanks, and bytes that are not UTF-8, such as a name cut in
// a short column, become the replacement character. It may overwrite the value.
func clean(value []byte) []byte {
	for i, c := range value {
		if isControl(rune(c)) {
			value[i] = ' '
		}
	}
	return bytes.ToValidUTF8(value, []byte("\uFFFD"))
}

// titleOf converts a title of an SQL dump to its form in XML, with blanks for underscores. It may overwrite the value.
func titleOf(value []byte) []byte {
	for i, c := range value {
		if c == '_' {
			value[i] = ' '
		}
	}
	return clean(value)
}
