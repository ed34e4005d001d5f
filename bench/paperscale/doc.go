// Package paperscale writes tables for the two tasks of Mihalkova and Moustafa (Structure Selection from Streaming Relational
// Data, 2011, section 4.1) in the size of the paper: [WikiCollabs] and [Delicious]. Their data is not to be had; these
// tables have its counts, its heavy tails and its rules for who is a center, and latent groups that tie some relations to
// the target. Which formulas are planted that way is part of [Stats].
//
// Tables are tab-separated with a header row; days are written 2009-10-07. Rows do not repeat, but for those of external:
// one for each filing at each level. The same scale and seed give the same bytes on any processor.
package paperscale
