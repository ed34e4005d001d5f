//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Counting: SI, DI and DX point to the operands a, b and c, CX is their length in words, AX the offset in bytes. The
// result is left in AX.
//
// An operator is three macros: LOAD512 puts 8 words of the combined operands into a register, MASKED512 those of them
// that K1 selects, and 0 for the others; LOAD256 does 4 words, LOAD64 one word into BX.

#define COUNT512(LOAD512, MASKED512) \
	VPXOR  X0, X0, X0;     \
	VPXOR  X1, X1, X1;     \
	XORL   AX, AX;         \
	SUBQ   $32, CX;        \
	JLT    below32;        \
	VPXOR  X2, X2, X2;     \
	VPXOR  X3, X3, X3;     \
	PCALIGN $32;           \
loop32:                    \
	LOAD512(0, Z4);        \
	LOAD512(64, Z5);       \
	LOAD512(128, Z6);      \
	LOAD512(192, Z7);      \
	VPOPCNTQ Z4, Z4;       \
	VPOPCNTQ Z5, Z5;       \
	VPOPCNTQ Z6, Z6;       \
	VPOPCNTQ Z7, Z7;       \
	VPADDQ Z4, Z0, Z0;     \
	VPADDQ Z5, Z1, Z1;     \
	VPADDQ Z6, Z2, Z2;     \
	VPADDQ Z7, Z3, Z3;     \
	ADDQ   $256, AX;       \
	SUBQ   $32, CX;        \
	JGE    loop32;         \
	VPADDQ Z2, Z0, Z0;     \
	VPADDQ Z3, Z1, Z1;     \
below32:                   \
	ADDQ   $24, CX;        \
	JLT    below8;         \
loop8:                     \
	LOAD512(0, Z4);        \
	VPOPCNTQ Z4, Z4;       \
	VPADDQ Z4, Z0, Z0;     \
	ADDQ   $64, AX;        \
	SUBQ   $8, CX;         \
	JGE    loop8;          \
below8:                    \
	ADDQ   $8, CX;         \
	JEQ    sum512;         \
	MOVL   $1, BX;         \
	SHLL   CX, BX;         \
	DECL   BX;             \
	KMOVW  BX, K1;         \
	MASKED512(Z4);         \
	VPOPCNTQ Z4, Z4;       \
	VPADDQ Z4, Z1, Z1;     \
sum512:                    \
	VPADDQ Z1, Z0, Z0;     \
	VEXTRACTI64X4 $1, Z0, Y1; \
	VPADDQ Y1, Y0, Y0;     \
	VEXTRACTI128 $1, Y0, X1;  \
	VPADDQ X1, X0, X0;     \
	VPSRLDQ $8, X0, X1;    \
	VPADDQ X1, X0, X0;     \
	VMOVQ  X0, AX;         \
	VZEROUPPER

// The numbers of bits in 0 to 15, the mask of a byte's low half.
DATA ones<>+0(SB)/8, $0x0302020102010100
DATA ones<>+8(SB)/8, $0x0403030203020201
GLOBL ones<>(SB), RODATA|NOPTR, $16
DATA low<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL low<>(SB), RODATA|NOPTR, $8

// POPCNT256 adds to each byte of sum the bits in that byte of y, by looking up its halves (Mula, Kurz and Lemire,
// Faster Population Counts Using AVX2 Instructions, 2018). It overwrites y and t; Y14 holds ones, Y15 low.
#define POPCNT256(y, t, sum) \
	VPAND   y, Y15, t;   \
	VPSRLW  $4, y, y;    \
	VPAND   y, Y15, y;   \
	VPSHUFB t, Y14, t;   \
	VPSHUFB y, Y14, y;   \
	VPADDB  t, sum, sum; \
	VPADDB  y, sum, sum

#define COUNT256(LOAD256, LOAD64) \
	XORL   AX, AX;          \
	VPXOR  X0, X0, X0;      \
	VPXOR  X13, X13, X13;   \
	VBROADCASTI128 ones<>(SB), Y14; \
	VPBROADCASTQ low<>(SB), Y15;    \
	SUBQ   $16, CX;         \
	JLT    below16;         \
	PCALIGN $32;            \
loop16:                     \
	LOAD256(0, Y4);         \
	LOAD256(32, Y5);        \
	LOAD256(64, Y6);        \
	LOAD256(96, Y7);        \
	VPXOR  X1, X1, X1;      \
	VPXOR  X2, X2, X2;      \
	POPCNT256(Y4, Y8, Y1);  \
	POPCNT256(Y5, Y9, Y2);  \
	POPCNT256(Y6, Y10, Y1); \
	POPCNT256(Y7, Y11, Y2); \
	VPADDB Y1, Y2, Y2;      \
	VPSADBW Y13, Y2, Y2;    \
	VPADDQ Y2, Y0, Y0;      \
	ADDQ   $128, AX;        \
	SUBQ   $16, CX;         \
	JGE    loop16;          \
below16:                    \
	ADDQ   $12, CX;         \
	JLT    below4;          \
loop4:                      \
	LOAD256(0, Y4);         \
	VPXOR  X1, X1, X1;      \
	POPCNT256(Y4, Y8, Y1);  \
	VPSADBW Y13, Y1, Y1;    \
	VPADDQ Y1, Y0, Y0;      \
	ADDQ   $32, AX;         \
	SUBQ   $4, CX;          \
	JGE    loop4;           \
below4:                     \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ X1, X0, X0;      \
	VPSRLDQ $8, X0, X1;     \
	VPADDQ X1, X0, X0;      \
	VMOVQ  X0, R8;          \
	VZEROUPPER;             \
	ADDQ   $4, CX;          \
	JEQ    sum256;          \
loop1:                      \
	LOAD64;                 \
	POPCNTQ BX, BX;         \
	ADDQ   BX, R8;          \
	ADDQ   $8, AX;          \
	DECQ   CX;              \
	JNE    loop1;           \
sum256:                     \
	MOVQ   R8, AX

// a

#define COPY512(off, z) \
	VMOVDQU64 off(SI)(AX*1), z

#define COPYMASKED512(z) \
	VMOVDQU64.Z (SI)(AX*1), K1, z

#define COPY256(off, y) \
	VMOVDQU off(SI)(AX*1), y

#define COPY64 \
	MOVQ (SI)(AX*1), BX

// func countVector(s []uint64) int
TEXT ·countVector(SB), NOSPLIT, $0-32
	MOVQ s_base+0(FP), SI
	MOVQ s_len+8(FP), CX
	CMPB ·level(SB), $const_avx512
	JNE  narrow
	COUNT512(COPY512, COPYMASKED512)
	MOVQ AX, ret+24(FP)
	RET

narrow:
	COUNT256(COPY256, COPY64)
	MOVQ AX, ret+24(FP)
	RET

// a & b

#define AND512(off, z) \
	VMOVDQU64 off(SI)(AX*1), z; \
	VPANDQ    off(DI)(AX*1), z, z

#define ANDMASKED512(z) \
	VMOVDQU64.Z (SI)(AX*1), K1, z; \
	VPANDQ.Z    (DI)(AX*1), z, K1, z

#define AND256(off, y) \
	VMOVDQU off(SI)(AX*1), y; \
	VPAND   off(DI)(AX*1), y, y

#define AND64 \
	MOVQ (SI)(AX*1), BX; \
	ANDQ (DI)(AX*1), BX

// func andCountVector(a, b []uint64) int
TEXT ·andCountVector(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	CMPB ·level(SB), $const_avx512
	JNE  narrow
	COUNT512(AND512, ANDMASKED512)
	MOVQ AX, ret+48(FP)
	RET

narrow:
	COUNT256(AND256, AND64)
	MOVQ AX, ret+48(FP)
	RET

// Counting for several sets at once: a register holds their counts. Each word of the row is intersected with the
// corresponding words of these sets, which lie side by side.
//
//	BX   words of sums from the block on  R9   bytes from a word of a set to the next
//	SI   row                              R8   its end
//	DI   sets at the block                DX   sums at the block
//	R10  to                               Z0   counts

// MEET adds the counts of a block of BYTES to the sums. WORD adds a word of the row, at R11, and of the sets, at R12, to
// the counts, ADD adds the counts to the sums at an offset AX.
#define MEET(block, word, sum, WORD, ADD, BYTES) \
block:                 \
	MOVQ  SI, R11;     \
	MOVQ  DI, R12;     \
	MOVQ  R10, R13;    \
	VPXOR X0, X0, X0;  \
word:                  \
	WORD;              \
	ADDQ  $8, R11;     \
	ADDQ  R9, R12;     \
	CMPQ  R11, R8;     \
	JNE   word;        \
sum:                   \
	BSFQ  R13, AX;     \
	LEAQ  -1(R13), CX; \
	IMULQ R9, AX;      \
	ADD;               \
	ANDQ  CX, R13;     \
	JNE   sum;         \
	ADDQ  $BYTES, DI;  \
	ADDQ  $BYTES, DX;  \
	SUBQ  $(BYTES/8), BX; \
	JNE   block

#define WORD512 \
	VPBROADCASTQ (R11), Z1;     \
	VPANDQ       (R12), Z1, Z1; \
	VPOPCNTQ     Z1, Z1;        \
	VPADDQ       Z1, Z0, Z0

#define ADD512 \
	VPADDQ    (DX)(AX*1), Z0, Z1; \
	VMOVDQU64 Z1, (DX)(AX*1)

#define WORD256 \
	VPBROADCASTQ (R11), Y4;     \
	VPAND        (R12), Y4, Y4; \
	VPXOR        X1, X1, X1;    \
	POPCNT256(Y4, Y8, Y1);      \
	VPSADBW      Y13, Y1, Y1;   \
	VPADDQ       Y1, Y0, Y0

#define ADD256 \
	VPADDQ  (DX)(AX*1), Y0, Y1; \
	VMOVDQU Y1, (DX)(AX*1)

// func addAndCountsVector(sums []uint64, to uint64, row, sets []uint64, stride int)
TEXT ·addAndCountsVector(SB), NOSPLIT, $0-88
	MOVQ sums_base+0(FP), DX
	MOVQ to+24(FP), R10
	MOVQ row_base+32(FP), SI
	MOVQ row_len+40(FP), R8
	MOVQ sets_base+56(FP), DI
	MOVQ stride+80(FP), BX
	LEAQ (BX*8), R9
	LEAQ (SI)(R8*8), R8
	CMPB ·level(SB), $const_avx512
	JNE  narrow
	MEET(block512, word512, sum512, WORD512, ADD512, 64)
	VZEROUPPER
	RET

narrow:
	VPXOR X13, X13, X13
	VBROADCASTI128 ones<>(SB), Y14
	VPBROADCASTQ low<>(SB), Y15
	MEET(block256, word256, sum256, WORD256, ADD256, 32)
	VZEROUPPER
	RET
