package mediawiki

import (
	"bytes"
	"net/netip"

	"resolwe/format/table"
)

// history turns the revisions of XML dumps into rows.
type history struct {
	opt   *Options
	pages *pages
	sum   *Summary

	edits, talk, userTalk rows

	lateTalk  *delayed   // rows of talk pages whose article has not been seen yet, with the talk page's title
	lateUsers *delayed   // with a filter: rows of userTalk, until it is known which users belong to the topic
	users     table.Dict // with a filter: who edited or discussed an article

	to      *rows  // output for the rows of the page; nil if the page is ignored
	subject []byte // the article or user that the page is about
	user    []byte // scratch
}

// page starts the next page.
func (h *history) page(p *page) {
	h.to = nil
	title := p.title
	if _, rest, ok := bytes.Cut(title, []byte(":")); ok && p.space != articleSpace {
		title = rest
	}
	h.subject = append(h.subject[:0], title...)
	switch p.space {
	case articleSpace:
		if p.redirect != nil {
			h.pages.addRedirect(title, p.redirect)
		} else if h.pages.addArticle(p.id, title) {
			h.to = &h.edits
		}
	case articleTalkSpace:
		if h.pages.isArticle(title) {
			h.to = &h.talk
		} else if h.pages.wants(title) || h.pages.nested(title) {
			h.to = &h.lateTalk.rows
		}
	case userTalkSpace:
		h.userPage(title)
	default:
		return
	}
	if p.redirect != nil {
		h.sum.Redirects++
		h.to = nil
	}
}

// userPage starts the talk page of a user, or a subpage of one.
func (h *history) userPage(title []byte) {
	owner, _, _ := bytes.Cut(title, []byte("/"))
	_, err := netip.ParseAddr(string(owner))
	anonymous := err == nil
	switch {
	case len(owner) == 0 || h.opt.RegisteredOnly && (anonymous || isTemporary(owner)):
	case h.pages.only != nil:
		h.to = &h.lateUsers.rows
	default:
		h.to = &h.userTalk
	}
	h.subject = appendUser(h.subject[:0], owner, anonymous)
}

// appendUser appends the name of a user as it stands in the tables.
func appendUser(dst, name []byte, anonymous bool) []byte {
	if anonymous {
		dst = append(dst, "IP:"...)
	}
	return append(dst, name...)
}

// isTemporary reports whether a name is that of a temporary account, made for someone who is not registered.
func isTemporary(user []byte) bool { return bytes.HasPrefix(user, []byte("~2")) }

// revision writes the row of a revision.
func (h *history) revision(r *revision) error {
	if h.to == nil || h.leftOut(r) {
		return nil
	}
	h.user = appendUser(h.user[:0], r.user, r.anonymous)
	minor := []byte{'0'}
	if r.minor {
		minor[0] = '1'
	}
	switch h.to {
	case &h.userTalk, &h.lateUsers.rows:
		return h.to.write(h.user, h.subject, r.timestamp, minor)
	case &h.edits, &h.talk:
		h.meet(h.user)
	}
	return h.to.write(h.subject, h.user, r.timestamp, minor)
}

// leftOut reports whether a revision is left out, and counts the reason.
func (h *history) leftOut(r *revision) bool {
	switch {
	case len(r.user) == 0:
		h.sum.UserDeleted++
	case r.suppressed:
		h.sum.Suppressed++
	case h.opt.RegisteredOnly && (r.anonymous || isTemporary(r.user)):
		h.sum.Unregistered++
	case r.minor && !h.opt.IncludeMinor:
		h.sum.Minor++
	default:
		return false
	}
	return true
}

// meet records a user of the topic.
func (h *history) meet(user []byte) {
	if h.pages.only != nil {
		h.users.Intern(user)
	}
}

func (h *history) knows(user []byte) bool {
	_, ok := h.users.Lookup(string(user))
	return ok
}

// finish writes the rows that had to wait for all pages.
func (h *history) finish(check func() error) error {
	err := h.lateTalk.replay(check, func(f [][]byte) error {
		title, ok := h.pages.discussed(f[0])
		if !ok {
			h.sum.Orphans++
			return nil
		}
		h.meet(f[1])
		return h.talk.write(title, f[1], f[2], f[3])
	})
	if err != nil {
		return err
	}
	return h.lateUsers.replay(check, func(f [][]byte) error {
		if !h.knows(f[0]) || !h.knows(f[1]) {
			return nil
		}
		return h.userTalk.write(f...)
	})
}
