// Package facttables reads and writes the subgraphs of a stream as tables: CSV, TSV, JSON lines or Parquet files in one folder.
//
// A predicate has a file that is called as it is, such as friends.parquet, or files in a folder of that name. The column subgraph names
// the subgraph of a fact. The others, whatever their names, are the arguments in their order, except truth, which is true, false, or
// empty where the truth is to be predicted, and center, fold and time, which describe the subgraph and must agree wherever they are given.
// All facts are true where there is no truth.
//
// Two more files may be there. In subgraphs, a row describes a subgraph: subgraph, and where they are center, fold, time and
// position. In entities, a row states that a subgraph has an entity, mentioned in facts or not: subgraph, type, entity, and where it is position. Where
// a predicate has such a name, the file's begins with @.
//
// The order of rows and files does not count. Subgraphs are ordered by position, then time, then name, and so are the entities of a type within
// a subgraph, by position, then by number or name; what has no position comes last.
package facttables
