//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Matrices are row-major, of float64; a row is a multiple of 4 long, a YMM register a block of 4 columns. Nothing need be
// aligned: blocks of rows lie where their columns do, and unaligned loads of aligned data cost nothing on AVX2. Products and
// sums are separate instructions, each rounded, in the order of the Go loops: both give the same bytes. All return with the
// upper halves of the registers cleared, since SSE code that follows would otherwise wait for them.
//
// In sum and add, SI points to the matrix, R12 is the shift, R8 the length of a row in bytes, R10 the last offset in the
// matrix at which a row begins; R11 is the offset of the current row. The offset is computed in 64 bits from an index of 32, so
// that it cannot wrap round.

// ROW sets R11 for the listed row at off(R13), and exits if it is beyond the matrix.
#define ROW(off) \
	MOVL  off(R13), R11; \
	ADDL  R12, R11;      \
	IMULQ R8, R11;       \
	CMPQ  R11, R10;      \
	JGT   beyond

// sumVector sums the listed rows, 8 columns at a time, then in the last 4, if any. The four sums of every fourth row (Y0
// and Y1, Y2 and Y3, ...) are independent, and the same as in SumColumn.
//
// func sumVector(dst, matrix []float64, list []uint32, shift uint32) bool
TEXT ·sumVector(SB), NOSPLIT, $0-81
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R8
	MOVQ matrix_base+24(FP), SI
	MOVQ matrix_len+32(FP), R10
	MOVQ list_base+48(FP), BX
	MOVQ list_len+56(FP), CX
	MOVL shift+72(FP), R12
	MOVQ R8, DX               // columns left
	SUBQ R8, R10
	SHLQ $3, R8
	SHLQ $3, R10

sum8:
	SUBQ   $8, DX
	JLT    sum4
	MOVQ   BX, R13
	MOVQ   CX, AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $4, AX
	JLT    sum8rest

sum8rows:
	ROW(0)
	VADDPD (SI)(R11*1), Y0, Y0
	VADDPD 32(SI)(R11*1), Y1, Y1
	ROW(4)
	VADDPD (SI)(R11*1), Y2, Y2
	VADDPD 32(SI)(R11*1), Y3, Y3
	ROW(8)
	VADDPD (SI)(R11*1), Y4, Y4
	VADDPD 32(SI)(R11*1), Y5, Y5
	ROW(12)
	VADDPD (SI)(R11*1), Y6, Y6
	VADDPD 32(SI)(R11*1), Y7, Y7
	ADDQ   $16, R13
	SUBQ   $4, AX
	JGE    sum8rows

sum8rest:
	ADDQ $4, AX
	JEQ  sum8done

sum8row:
	ROW(0)
	VADDPD (SI)(R11*1), Y0, Y0
	VADDPD 32(SI)(R11*1), Y1, Y1
	ADDQ   $4, R13
	DECQ   AX
	JNE    sum8row

sum8done:
	VADDPD  Y2, Y0, Y0
	VADDPD  Y3, Y1, Y1
	VADDPD  Y6, Y4, Y4
	VADDPD  Y7, Y5, Y5
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VADDPD  (DI), Y0, Y0
	VADDPD  32(DI), Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, DI
	ADDQ    $64, SI
	JMP     sum8

sum4:
	ADDQ   $4, DX
	JLT    within
	VXORPD Y0, Y0, Y0
	VXORPD Y2, Y2, Y2
	VXORPD Y4, Y4, Y4
	VXORPD Y6, Y6, Y6
	SUBQ   $4, CX
	JLT    sum4rest
	MOVQ   BX, R13

sum4rows:
	ROW(0)
	VADDPD (SI)(R11*1), Y0, Y0
	ROW(4)
	VADDPD (SI)(R11*1), Y2, Y2
	ROW(8)
	VADDPD (SI)(R11*1), Y4, Y4
	ROW(12)
	VADDPD (SI)(R11*1), Y6, Y6
	ADDQ   $16, R13
	SUBQ   $4, CX
	JGE    sum4rows
	MOVQ   R13, BX

sum4rest:
	MOVQ BX, R13
	ADDQ $4, CX
	JEQ  sum4done

sum4row:
	ROW(0)
	VADDPD (SI)(R11*1), Y0, Y0
	ADDQ   $4, R13
	DECQ   CX
	JNE    sum4row

sum4done:
	VADDPD  Y2, Y0, Y0
	VADDPD  Y6, Y4, Y4
	VADDPD  Y4, Y0, Y0
	VADDPD  (DI), Y0, Y0
	VMOVUPD Y0, (DI)

within:
	VZEROUPPER
	MOVB $1, ret+80(FP)
	RET

beyond:
	VZEROUPPER
	MOVB $0, ret+80(FP)
	RET

// ADD adds the row at DI, of R8 values, to rows of the matrix, whose length is in R10, for each of CX listed ones at BX,
// in blocks of 4 columns. BLOCK scales a block of the row in Y0; ITEM adds it for the AX-th listed row, at R13. AX tells
// afterwards whether all rows were within the matrix.
#define ADD(BLOCK, ITEM) \
	MOVQ R8, DX;      \
	SUBQ R8, R10;     \
	SHLQ $3, R8;      \
	SHLQ $3, R10;     \
	TESTQ CX, CX;     \
	JEQ  within;      \
block:                    \
	SUBQ $4, DX;      \
	JLT  within;      \
	VMOVUPD (DI), Y0; \
	VPTEST Y0, Y0;    \
	JEQ  next;        \
	BLOCK;            \
	XORL AX, AX;      \
	MOVQ BX, R13;     \
item:                     \
	ITEM;             \
	ADDQ $4, R13;     \
	INCQ AX;          \
	CMPQ AX, CX;      \
	JNE  item;        \
next:                     \
	ADDQ $32, DI;     \
	ADDQ $32, SI;     \
	JMP  block;       \
within:                   \
	MOVL $1, AX;      \
	JMP  done;        \
beyond:                   \
	XORL AX, AX;      \
done:                     \
	VZEROUPPER

// INTO adds a block to that of the row at R11.
#define INTO(y) \
	VADDPD  (SI)(R11*1), y, Y3; \
	VMOVUPD Y3, (SI)(R11*1)

#define SCALE \
	VMULPD Y15, Y0, Y0

#define ONE \
	ROW(0); \
	INTO(Y0)

// addVector adds the row, times one factor. A block of zeros is skipped: most flips are of one column.
//
// func addVector(matrix, row []float64, list []uint32, step *Step) bool
TEXT ·addVector(SB), NOSPLIT, $0-81
	MOVQ matrix_base+0(FP), SI
	MOVQ matrix_len+8(FP), R10
	MOVQ row_base+24(FP), DI
	MOVQ row_len+32(FP), R8
	MOVQ list_base+48(FP), BX
	MOVQ list_len+56(FP), CX
	MOVQ step+72(FP), R9
	MOVL Step_Shift(R9), R12
	VBROADCASTSD Step_Scale(R9), Y15
	ADD(SCALE, ONE)
	MOVB AX, ret+80(FP)
	RET

#define NOTHING

#define EACH \
	MOVL (R9)(AX*4), R11;          \
	CMPQ R11, R15;                 \
	JCC  beyond;                   \
	VBROADCASTSD (R14)(R11*8), Y1; \
	VMULPD Y1, Y0, Y1;             \
	ROW(0);                        \
	INTO(Y1)

// addEachVector scales the row by the class of each listed row: R9 are the classes, R14 the scales, R15 their number.
//
// func addEachVector(matrix, row []float64, list, classes []uint32, scales []float64) bool
TEXT ·addEachVector(SB), NOSPLIT, $0-121
	MOVQ matrix_base+0(FP), SI
	MOVQ matrix_len+8(FP), R10
	MOVQ row_base+24(FP), DI
	MOVQ row_len+32(FP), R8
	MOVQ list_base+48(FP), BX
	MOVQ list_len+56(FP), CX
	MOVQ classes_base+72(FP), R9
	MOVQ scales_base+96(FP), R14
	MOVQ scales_len+104(FP), R15
	XORL R12, R12
	ADD(NOTHING, EACH)
	MOVB AX, ret+120(FP)
	RET

// addOuterVector iterates over the columns in blocks, and for each over the lower triangle of pairs of rows. A block's v times row i is
// kept in Y1 while j goes from 0 to i; acc has four partial sums of each pair, one for each column of a block, in that order.
//
// func addOuterVector(acc, matrix, v []float64)
TEXT ·addOuterVector(SB), NOSPLIT, $0-72
	MOVQ matrix_base+24(FP), SI
	MOVQ matrix_len+32(FP), R9
	MOVQ v_base+48(FP), BX
	MOVQ v_len+56(FP), R8
	MOVQ R8, DX                   // columns left
	SHLQ $3, R8
	LEAQ (SI)(R9*8), R9           // the end of the matrix

outer4:
	SUBQ    $4, DX
	JLT     outerDone
	MOVQ    acc_base+0(FP), DI
	VMOVUPD (BX), Y0
	MOVQ    SI, R11               // row i

outerRow:
	CMPQ    R11, R9
	JGE     outerNext
	VMULPD  (R11), Y0, Y1
	MOVQ    SI, R12               // row j

outerItem:
	VMULPD  (R12), Y1, Y2
	VADDPD  (DI), Y2, Y2
	VMOVUPD Y2, (DI)
	ADDQ    $32, DI
	ADDQ    R8, R12
	CMPQ    R12, R11
	JLE     outerItem
	ADDQ    R8, R11
	JMP     outerRow

outerNext:
	ADDQ $32, BX
	ADDQ $32, SI
	JMP  outer4

outerDone:
	VZEROUPPER
	RET

#define CONST(name, value) \
	DATA name<>+0(SB)/8, $value; \
	GLOBL name<>(SB), RODATA|NOPTR, $8

CONST(lowest, -40.0)
CONST(highest, 40.0)
CONST(negLog2E, -1.44269504088896340736)
CONST(whole, 6755399441055744.0)
CONST(one, 1.0)
CONST(k0, 0.9999999999616824)
CONST(k1, 0.6931471807284519)
CONST(k2, 0.24022651198152817)
CONST(k3, 0.055504103534252454)
CONST(k4, 0.00961802725421434)
CONST(k5, 0.001333392258564999)
CONST(k6, 0.00015469290999469272)
CONST(k7, 1.520191609354323e-05)

// drawVector computes the logistic function like Logistic, 4 columns at a time: 2^y of y = -h log2(e) is a power of two, which
// whole's last bits hold and an integer addition puts into the exponent, times a polynomial by Estrin's scheme. MINPD and MAXPD
// bound h. The bits of u < p are gathered by MOVMSKPD.
//
// func drawVector(p, h, u []float64) uint64
TEXT ·drawVector(SB), NOSPLIT, $0-80
	MOVQ p_base+0(FP), DI
	MOVQ p_len+8(FP), DX
	MOVQ h_base+24(FP), SI
	MOVQ u_base+48(FP), BX
	XORL AX, AX                    // the bits
	XORL CX, CX                    // columns done
	VBROADCASTSD lowest<>(SB), Y15
	VBROADCASTSD highest<>(SB), Y14
	VBROADCASTSD negLog2E<>(SB), Y13
	VBROADCASTSD whole<>(SB), Y12
	VBROADCASTSD one<>(SB), Y11
	VBROADCASTSD k1<>(SB), Y10
	VBROADCASTSD k3<>(SB), Y9
	VBROADCASTSD k5<>(SB), Y8
	VBROADCASTSD k7<>(SB), Y7

draw4:
	CMPQ         CX, DX
	JGE          drawn
	VMINPD       (SI)(CX*8), Y14, Y0
	VMAXPD       Y15, Y0, Y0
	VMULPD       Y13, Y0, Y0  // y
	VADDPD       Y12, Y0, Y1  // whole
	VSUBPD       Y12, Y1, Y2
	VSUBPD       Y2, Y0, Y0   // f
	VPSLLQ       $52, Y1, Y1
	VMULPD       Y0, Y0, Y2   // f2
	VBROADCASTSD k0<>(SB), Y3
	VMULPD       Y0, Y10, Y4
	VADDPD       Y4, Y3, Y3
	VBROADCASTSD k2<>(SB), Y4
	VMULPD       Y0, Y9, Y5
	VADDPD       Y5, Y4, Y4
	VMULPD       Y2, Y4, Y4
	VADDPD       Y4, Y3, Y3   // low
	VBROADCASTSD k4<>(SB), Y4
	VMULPD       Y0, Y8, Y5
	VADDPD       Y5, Y4, Y4
	VBROADCASTSD k6<>(SB), Y5
	VMULPD       Y0, Y7, Y6
	VADDPD       Y6, Y5, Y5
	VMULPD       Y2, Y5, Y5
	VADDPD       Y5, Y4, Y4   // high
	VMULPD       Y2, Y2, Y2
	VMULPD       Y2, Y4, Y4
	VADDPD       Y4, Y3, Y3   // power
	VPADDQ       Y1, Y3, Y3
	VADDPD       Y3, Y11, Y3
	VDIVPD       Y3, Y11, Y3
	VMOVUPD      Y3, (DI)(CX*8)
	VMOVUPD      (BX)(CX*8), Y4
	VCMPPD       $1, Y3, Y4, Y4 // u < p
	VMOVMSKPD    Y4, R8
	SHLQ         CX, R8
	ORQ          R8, AX
	ADDQ         $4, CX
	JMP          draw4

drawn:
	VZEROUPPER
	MOVQ AX, ret+72(FP)
	RET
