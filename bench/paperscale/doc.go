// Package paperscale writes tables for the two tasks of Mihalkova and Moustafa (Structure Selection from Streaming Relational Data,
// 2011, section 4.1) at the paper's size: [WikiCollabs] and [Delicious]. The paper's data are not available. These tables have the
// same counts, heavy tails and rules for centers, and latent groups that tie some relations to the target. [Stats] lists which
// formulas are planted in this way.
//
// Tables are tab-separated with a header row; days are written 2009-10-07. Rows do not repeat, except in external, which has one
// for each filing at each level. The same scale and seed give the same bytes on any processor.
package paperscale
