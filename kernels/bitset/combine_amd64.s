//go:build !purego

#include "textflag.h"

// Combining in place: DI points to dst, SI to s, CX is their length in words, AX the offset in bytes. OP256 and OP64
// are the operation's instructions for 4 words and for 1. Stores bound this, and wider ones are no faster.

#define STEP(off, y, OP256) \
	VMOVDQU off(DI)(AX*1), y;    \
	OP256   off(SI)(AX*1), y, y; \
	VMOVDQU y, off(DI)(AX*1)

#define INTO(OP256, OP64) \
	XORL AX, AX;         \
	SUBQ $16, CX;        \
	JLT  below16;        \
	PCALIGN $32;         \
loop16:                  \
	STEP(0, Y0, OP256);  \
	STEP(32, Y1, OP256); \
	STEP(64, Y2, OP256); \
	STEP(96, Y3, OP256); \
	ADDQ $128, AX;       \
	SUBQ $16, CX;        \
	JGE  loop16;         \
below16:                 \
	ADDQ $12, CX;        \
	JLT  below4;         \
loop4:                   \
	STEP(0, Y0, OP256);  \
	ADDQ $32, AX;        \
	SUBQ $4, CX;         \
	JGE  loop4;          \
below4:                  \
	VZEROUPPER;          \
	ADDQ $4, CX;         \
	JEQ  done;           \
loop1:                   \
	MOVQ (SI)(AX*1), BX; \
	OP64 BX, (DI)(AX*1); \
	ADDQ $8, AX;         \
	DECQ CX;             \
	JNE  loop1;          \
done:                    \
	RET

// func andIntoVector(dst, s []uint64)
TEXT ·andIntoVector(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ s_base+24(FP), SI
	INTO(VPAND, ANDQ)

// func orIntoVector(dst, s []uint64)
TEXT ·orIntoVector(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ s_base+24(FP), SI
	INTO(VPOR, ORQ)
