package demo

import (
	"errors"
	"fmt"
	"iter"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Task describes a generated task in the manner of WikiCollabs (Mihalkova and Moustafa, 2011, section 4.1): which users
// will modify which articles. Its truth is drawn from the Markov logic network that has the planted formulas with their
// strengths as weights, and Base as the weight of the unit clause modifies(t, u). All else in the data is noise.
type Task struct {
	Model     string     // the task file: declarations and templates
	Planted   []string   // formulas as the expansion of Model prints them
	Strengths [3]float64 // their weights in log-odds, in the same order
	Base      float64    // log-odds of modifies(t, u) where no planted formula speaks
}

// New returns the demo. Planted are:
//
//   - A user who both edits and discusses an article modifies the articles that it links to and is similar to: +4.5.
//     No three of the four literals suffice, so selection has to find the compound.
//   - A user modifies the articles on the second-level topic of the project that the user is a member of: +4.
//   - What a user modifies, the mentor to whom the user writes modifies too: +3.5. It ties two target atoms. Only this
//     direction of it holds often, because many write to one.
//
// Without them an atom has the log-odds -2.5; about one in ten is true in all. The model expands to 44 candidates. With
// k2 = 30 and theta = 0.4 the paper's criterion keeps the three and no other: the planted ones average 0.7 to 0.85, the
// others at most 0.28. Chance does not carry any across theta in 993 of the streams of seeds 1 to 1000.
func New() Task {
	return Task{
		Model: model,
		Planted: []string{
			"articleEdit(t1, u) ^ articleTalk(t1, u) ^ similar(t1, t2) ^ hyperLink(t1, t2) => modifies(t2, u)",
			"member(u, c) ^ level2Topic(t, c) => modifies(t, u)",
			"userTalk(u1, u2) ^ modifies(t, u1) => modifies(t, u2)",
		},
		Strengths: [3]float64{4.5, 4, 3.5},
		Base:      -2.5,
	}
}

const model = `// Which users will modify which articles?
articleEdit(article, user)
articleTalk(article, user)
userTalk(user, user)
sameLanguage(user, user)
hyperLink(article, article)
similar(article, article)
category(article, category)
level1Topic(article, topic)
level2Topic(article, topic)
level3Topic(article, topic)
member(user, topic)
interest(user, topic)
target listed modifies(article, user)

template EDIT(t, u) compound 2 = articleEdit(t, u) | articleTalk(t, u)
template NEAR(t1, t2) compound 2 = similar(t1, t2) | hyperLink(t1, t2) | category(t1, c) ^ category(t2, c)
template FAR(t1, t2) = hyperLink(t2, t1) | hyperLink(t1, t) ^ hyperLink(t, t2)
  | level[1|2|3]Topic(t1, c) ^ level[1|2|3]Topic(t2, c)
template TASTE(u, c) = member(u, c) | interest(u, c)
template USER_REL(u1, u2) = userTalk(u1, u2) | sameLanguage(u1, u2) | interest(u1, c) ^ interest(u2, c)
  | articleEdit(a, u1) ^ articleEdit(a, u2) | articleTalk(a, u1) ^ articleTalk(a, u2)

EDIT(t1, u) ^ NEAR(t1, t2) => modifies(t2, u)
EDIT(t1, u) ^ FAR(t1, t2) => modifies(t2, u)
TASTE(u, c) ^ level[1|2|3]Topic(t, c) => modifies(t, u)
USER_REL(u1, u2) ^ modifies(t, u1) => modifies(t, u2)
`

// Options size a generated stream. A field that is 0 stands for its default.
type Options struct {
	Subgraphs int // in the stream; 80
	Users     int // in the largest subgraphs; the others have at least two thirds of them; 36
	Articles  int // in the largest subgraphs, likewise, targets included; 12
	Targets   int // articles for which modifies is to be predicted, in each subgraph; 4
	Seed      uint64
}

// maxEntities bounds the users, and the articles, of a subgraph.
const maxEntities = 4096

// ErrOptions says that no stream can have the sizes asked for.
var ErrOptions = errors.New("impossible demo options")

// withDefaults replaces zeros and checks the result.
func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		field    *int
		standard int
	}{{&o.Subgraphs, 80}, {&o.Users, 36}, {&o.Articles, 12}, {&o.Targets, 4}} {
		if *f.field == 0 {
			*f.field = f.standard
		}
	}
	switch {
	case o.Subgraphs < 0 || o.Users < 0 || o.Targets < 0:
		return o, fmt.Errorf("%w: a size is negative", ErrOptions)
	case o.Users > maxEntities || o.Articles > maxEntities:
		return o, fmt.Errorf("%w: more than %d entities of a type", ErrOptions, maxEntities)
	case o.Articles-o.Articles/3 <= o.Targets:
		return o, fmt.Errorf("%w: %d targets leave too few of %d articles", ErrOptions, o.Targets, o.Articles)
	}
	return o, nil
}

// SchemaError says that a predicate of the demo is not in a schema, or has other types or another role there.
type SchemaError struct{ Predicate string }

// Error names the predicate.
func (e *SchemaError) Error() string {
	return "predicate " + e.Predicate + " is not in the schema as the demo declares it"
}

// Generate yields the subgraphs of a stream in order. schema is that of Model, or one with more. Each subgraph is in
// memory of its own and depends on the seed, its position, Users, Articles and Targets alone. The first error ends the
// stream: ErrOptions or a *SchemaError.
func (d Task) Generate(schema *mln.Schema, opt Options) iter.Seq2[*subgraph.Subgraph, error] {
	return func(yield func(*subgraph.Subgraph, error) bool) {
		opt, err := opt.withDefaults()
		if err != nil {
			yield(nil, err)
			return
		}
		g, err := d.generator(schema, opt)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range opt.Subgraphs {
			if s, err := g.subgraph(i); !yield(s, err) || err != nil {
				return
			}
		}
	}
}
