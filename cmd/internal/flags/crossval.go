package flags

import (
	"strings"

	"resolwe/crossval"
)

// Crossval are the parameters of cross-validation.
type Crossval struct {
	Systems  []string         `help:"Systems to compare, the first with each of the others: ${systems}, or all. Default: ${defaults}; and paper, if the criterion of --select is not gain." placeholder:"NAME"`
	Discover bool             `help:"First find candidates in the training part of each fold, as the command discover does."`
	Select   Stage[Selection] `help:"Options of selection and discovery, as resolwe select takes them, such as '--criterion paper --k2 50'." default:"" placeholder:"'..'"`
	Learn    Stage[Learn]     `help:"Options of learning, as resolwe learn takes them, such as '--passes 2'." default:"" placeholder:"'..'"`
	Infer    Stage[Infer]     `help:"Options of inference, as resolwe infer takes them, such as '--samples 5000'." default:"" placeholder:"'..'"`
	Folds    int              `help:"Folds, at least 2, if the stream names none: forward in time if all subgraphs have times, else random." default:"4"`
	Forward  *int             `help:"Folds forward in time, for a stream ordered by time: N test parts of about equal size, each with everything before it as training data. The first part of the stream is not tested. Default where all subgraphs have times; 0 for random folds." placeholder:"N" xor:"division"`
	Split    *Split           `help:"Instead of folds, train on the first subgraphs of the stream (a share such as .8, or those before a date such as 2010-01-31) and test on the rest." placeholder:"X" xor:"division"`
	LearnOn  string           `help:"Training subgraphs that paper and skipSelection learn on: those not used by selection (rest), or all; auto is rest if that has at least k2." enum:"auto,rest,all" default:"auto" rare:""`
}

// Options returns the options of cross-validation, without Test and Run.
func (a *Crossval) Options(seed uint64) (opt crossval.Options, err error) {
	opt.Folds, opt.Seed = Stated(a.Folds), seed
	if a.Forward != nil {
		opt.Forward, opt.Random = *a.Forward, *a.Forward == 0
	}
	if a.Split != nil {
		opt.Split, opt.From = a.Split.Share, a.Split.From
	}
	opt.LearnOn = map[string]crossval.LearnOn{"auto": crossval.LearnAuto, "rest": crossval.LearnRest, "all": crossval.LearnAll}[a.LearnOn]
	if a.Systems != nil {
		if opt.Systems, err = crossval.Named(a.Systems...); err != nil {
			return opt, err
		}
	}
	sel := &a.Select.Flags
	if opt.Select, err = sel.Options(seed); err != nil {
		return opt, err
	}
	sel.Discover = sel.Discover || a.Discover
	opt.Discover = sel.Within.Within(sel.Support, seed)
	if opt.Learn, err = a.Learn.Flags.Options(seed); err != nil {
		return opt, err
	}
	opt.Infer, err = a.Infer.Flags.Options(seed)
	return opt, err
}

// systems are the names that help texts list.
func systems() string {
	all := crossval.Systems()
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
