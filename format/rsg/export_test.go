package rsg

// Internals for the external tests.
var (
	Words       = words
	DecodeWords = decodeWords
	AppendWords = appendWords
)

// Constants are those that FORMAT.md names, by their names in the code.
var Constants = map[string]any{
	"magic": magic, "closingMagic": closingMagic, "versionMajor": versionMajor, "versionMinor": versionMinor,
	"alignment": alignment, "fileHeaderSize": fileHeaderSize, "frameHeaderSize": frameHeaderSize,
	"tableEntrySize": tableEntrySize, "indexEntrySize": indexEntrySize, "headFixedSize": headFixedSize,
	"trailerSize": trailerSize, "maxSections": maxSections, "maxSchema": maxSchema, "maxOrigin": maxOrigin, "maxDecoded": maxDecoded,
	"codecNone": codecNone, "codecZstd": codecZstd, "noCenter": uint32(noCenter), "noBackground": uint32(noBackground), "noTime": int64(noTime),
	"tagSchema": tagSchema, "tagOrigin": tagOrigin, "tagSubgraph": tagSubgraph, "tagIndex": tagIndex,
	"tagHead": tagHead, "tagEntities": tagEntities, "tagNames": tagNames, "tagShared": tagShared, "tagFacts": tagFacts, "tagTime": tagTime,
	"tagRecords": tagRecords, "tagOrder": tagOrder, "tagBases": tagBases, "tagSums": tagSums,
}
