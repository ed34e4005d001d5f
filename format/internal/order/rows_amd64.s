//go:build !purego

#include "textflag.h"

// DI points to the offsets, CX is the number of rows between them, SI points to the ids, n in number. K1 selects the lanes
// in use, a lane for each row. K7 collects what is wrong.

#define LESS $1
#define ATMOST $2
#define ATLEAST $5

// LOOP repeats STEP for 8 offsets at a time and once more for those left over.
#define LOOP(STEP) \
	KXORW  K7, K7, K7; \
	KXNORW K1, K1, K1; \
	SUBQ $8, CX;       \
	JLT  rest;         \
	PCALIGN $32;       \
loop:                  \
	STEP;              \
	SUBQ $8, CX;       \
	JGE  loop;         \
rest:                  \
	ADDQ $8, CX;       \
	JEQ  done;         \
	MOVL $1, AX;       \
	SHLL CX, AX;       \
	DECL AX;           \
	KMOVW AX, K1;      \
	STEP;              \
done:

// ROW checks that offsets do not fall. It sets K3 for rows that start at an id which has another before it, and puts both
// into the upper and the lower half of the words of Z5, and exchanged into Z6. Compared as words, the upper halves decide.
// Y7 holds n.
#define ROW \
	VMOVDQU32.Z (DI), K1, Y3;     \
	VMOVDQU32.Z 4(DI), K1, Y4;    \
	VPCMPUD LESS, Y3, Y4, K1, K2; \
	KORW    K2, K7, K7;           \
	VPTESTMD Y3, Y3, K1, K3;      \
	VPCMPUD LESS, Y7, Y3, K3, K3; \
	KMOVW   K3, K4;               \
	VPXORD  X5, X5, X5;           \
	VPGATHERDQ -4(SI)(Y3*4), K4, Z5; \
	VPRORQ  $32, Z5, Z6;          \
	ADDQ    $32, DI

// The numbers of the rows are the upper halves of the words of Z8.
#define BOUNDS \
	ROW;                             \
	VPCMPUQ LESS, Z8, Z5, K3, K2;    \
	KORW    K2, K7, K7;              \
	VPCMPUQ ATLEAST, Z8, Z6, K3, K2; \
	KORW    K2, K7, K7;              \
	VPADDQ  Z9, Z8, Z8

DATA rows<>+0(SB)/8, $0x0000000000000000
DATA rows<>+8(SB)/8, $0x0000000100000000
DATA rows<>+16(SB)/8, $0x0000000200000000
DATA rows<>+24(SB)/8, $0x0000000300000000
DATA rows<>+32(SB)/8, $0x0000000400000000
DATA rows<>+40(SB)/8, $0x0000000500000000
DATA rows<>+48(SB)/8, $0x0000000600000000
DATA rows<>+56(SB)/8, $0x0000000700000000
GLOBL rows<>(SB), RODATA|NOPTR, $64

// func boundsVector(offsets, ids []uint32) bool
TEXT ·boundsVector(SB), NOSPLIT, $0-49
	MOVQ offsets_base+0(FP), DI
	MOVQ offsets_len+8(FP), CX
	MOVQ ids_base+24(FP), SI
	MOVQ ids_len+32(FP), BX
	DECQ CX
	VPBROADCASTD BX, Y7
	VMOVDQU64 rows<>(SB), Z8
	MOVQ $0x0000000800000000, AX
	VPBROADCASTQ AX, Z9
	LOOP(BOUNDS)
	VZEROUPPER
	KORTESTW K7, K7
	SETEQ ret+48(FP)
	RET

// Each lane counts its falls in Z0; all bits of Z2 are set.
#define STARTS \
	ROW;                            \
	VPCMPUD LESS, Y4, Y3, K3, K3;   \
	VPCMPUQ ATMOST, Z6, Z5, K3, K3; \
	VPSUBQ  Z2, Z0, K3, Z0

// func startFallsVector(offsets, ids []uint32) (falls int, ascend bool)
TEXT ·startFallsVector(SB), NOSPLIT, $0-57
	MOVQ offsets_base+0(FP), DI
	MOVQ offsets_len+8(FP), CX
	MOVQ ids_base+24(FP), SI
	MOVQ ids_len+32(FP), BX
	DECQ CX
	VPBROADCASTD BX, Y7
	VPXORD X0, X0, X0
	VPTERNLOGD $0xff, Z2, Z2, Z2
	LOOP(STARTS)
	VEXTRACTI64X4 $1, Z0, Y3
	VPADDQ Y3, Y0, Y0
	VEXTRACTI128 $1, Y0, X3
	VPADDQ X3, X0, X0
	VPSRLDQ $8, X0, X3
	VPADDQ X3, X0, X0
	VMOVQ X0, AX
	VZEROUPPER
	MOVQ AX, falls+48(FP)
	KORTESTW K7, K7
	SETEQ ascend+56(FP)
	RET
