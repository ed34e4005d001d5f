//go:build !purego

#include "textflag.h"

// K1 selects the lanes in use. Each lane counts its falls in Z0 and keeps its maximum in Z1; all bits of Z2 are set.
// CX is the number of ids yet to be compared with the ones before them, which (SI) and (DI) point to.

#define LESS $1
#define EQUAL $0
#define ATMOST $2

#define BEGIN \
	VPXORD X0, X0, X0;            \
	VPTERNLOGD $0xff, Z2, Z2, Z2; \
	DECQ CX

// LOOP repeats STEP for 16 ids at a time and once more for those left over.
#define LOOP(STEP) \
	KXNORW K1, K1, K1; \
	SUBQ $16, CX;      \
	JLT  rest;         \
	PCALIGN $32;       \
loop:                  \
	STEP;              \
	SUBQ $16, CX;      \
	JGE  loop;         \
rest:                  \
	ADDQ $16, CX;      \
	JEQ  done;         \
	MOVL $1, AX;       \
	SHLL CX, AX;       \
	DECL AX;           \
	KMOVW AX, K1;      \
	STEP;              \
done:

// END leaves the number of falls, which fits in 32 bits as the lists' lengths do, in AX, and the maximum in BX.
#define END \
	VEXTRACTI64X4 $1, Z0, Y3; \
	VEXTRACTI64X4 $1, Z1, Y4; \
	VPADDD  Y3, Y0, Y0;       \
	VPMAXUD Y4, Y1, Y1;       \
	VEXTRACTI128 $1, Y0, X3;  \
	VEXTRACTI128 $1, Y1, X4;  \
	VPADDD  X3, X0, X0;       \
	VPMAXUD X4, X1, X1;       \
	VPSHUFD $0x4e, X0, X3;    \
	VPSHUFD $0x4e, X1, X4;    \
	VPADDD  X3, X0, X0;       \
	VPMAXUD X4, X1, X1;       \
	VPSHUFD $0xb1, X0, X3;    \
	VPSHUFD $0xb1, X1, X4;    \
	VPADDD  X3, X0, X0;       \
	VPMAXUD X4, X1, X1;       \
	VMOVD   X0, AX;           \
	VMOVD   X1, BX;           \
	VZEROUPPER

#define FALLS \
	VMOVDQU32.Z 4(SI), K1, Z3;   \
	VPCMPUD ATMOST, (SI), Z3, K1, K2; \
	VPSUBD  Z2, Z0, K2, Z0;      \
	VPMAXUD Z3, Z1, Z1;          \
	ADDQ $64, SI

// func fallsVector(ids []uint32) (falls int, largest uint32)
TEXT ·fallsVector(SB), NOSPLIT, $0-36
	MOVQ ids_base+0(FP), SI
	MOVQ ids_len+8(FP), CX
	BEGIN
	VPBROADCASTD (SI), Z1
	LOOP(FALLS)
	END
	MOVQ AX, falls+24(FP)
	MOVL BX, largest+32(FP)
	RET

#define PAIRFALLS \
	VMOVDQU32.Z 4(SI), K1, Z3;        \
	VMOVDQU32.Z 4(DI), K1, Z4;        \
	VPCMPUD LESS, (SI), Z3, K1, K2;   \
	VPCMPUD EQUAL, (SI), Z3, K1, K3;  \
	VPCMPUD ATMOST, (DI), Z4, K3, K3; \
	KORW    K3, K2, K2;               \
	VPSUBD  Z2, Z0, K2, Z0;           \
	VPMAXUD Z4, Z1, Z1;               \
	ADDQ $64, SI;                     \
	ADDQ $64, DI

// func pairFallsVector(first, second []uint32) (falls int, largest uint32)
TEXT ·pairFallsVector(SB), NOSPLIT, $0-60
	MOVQ first_base+0(FP), SI
	MOVQ first_len+8(FP), CX
	MOVQ second_base+24(FP), DI
	BEGIN
	VPBROADCASTD (DI), Z1
	LOOP(PAIRFALLS)
	END
	MOVQ AX, falls+48(FP)
	MOVL BX, largest+56(FP)
	RET

// A bit that is set stays where an id does not exceed the one before it, and one that is not is set where it is below.
#define TIE \
	VMOVDQU32.Z 4(SI), K1, Z3;        \
	VPCMPUD LESS, (SI), Z3, K1, K2;   \
	VPCMPUD ATMOST, (SI), Z3, K1, K3; \
	KMOVW   (DI), K4;                 \
	KANDW   K3, K4, K4;               \
	KORW    K2, K4, K4;               \
	KMOVW   K4, (DI);                 \
	ADDQ    $64, SI;                  \
	ADDQ    $2, DI

// func tieVector(ids []uint32, fall *[chunk / 64]uint64)
TEXT ·tieVector(SB), NOSPLIT, $0-32
	MOVQ ids_base+0(FP), SI
	MOVQ ids_len+8(FP), CX
	MOVQ fall+24(FP), DI
	DECQ CX
	LOOP(TIE)
	VZEROUPPER
	RET
