package subgraph

// Internals for the external tests.
var (
	Words       = words
	DecodeWords = decodeWords
	EncodeWords = encodeWords
	AppendWords = appendWords
	Checksum    = checksum
)

// Constants are those that FORMAT.md names, by their names in the code.
var Constants = map[string]any{
	"magic": magic, "closingMagic": closingMagic, "versionMajor": versionMajor, "versionMinor": versionMinor,
	"alignment": alignment, "fileHeaderSize": fileHeaderSize, "frameHeaderSize": frameHeaderSize,
	"tableEntrySize": tableEntrySize, "indexEntrySize": indexEntrySize, "headFixedSize": headFixedSize,
	"trailerSize": trailerSize, "maxSections": maxSections, "maxSchema": maxSchema, "maxDecoded": maxDecoded,
	"codecNone": codecNone, "codecZstd": codecZstd, "noCenter": uint32(noCenter), "noBase": uint32(noBase),
	"tagSchema": tagSchema, "tagSubgraph": tagSubgraph, "tagIndex": tagIndex,
	"tagHead": tagHead, "tagEntities": tagEntities, "tagNames": tagNames, "tagShared": tagShared, "tagFacts": tagFacts,
	"tagRecords": tagRecords, "tagOrder": tagOrder, "tagBases": tagBases,
}

// Check is the reader's check of a table.
func (t *Table) Check(args, sizes []int) error { return t.check(args, sizes) }

// CheckIndexes is what Verify checks beyond it.
func (t *Table) CheckIndexes() error { return t.checkIndexes() }
