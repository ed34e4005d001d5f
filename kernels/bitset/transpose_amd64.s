//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Byte 8j + 7-i is 8i + j.
DATA blocks<>+0(SB)/8, $0x0008101820283038
DATA blocks<>+8(SB)/8, $0x0109111921293139
DATA blocks<>+16(SB)/8, $0x020a121a222a323a
DATA blocks<>+24(SB)/8, $0x030b131b232b333b
DATA blocks<>+32(SB)/8, $0x040c141c242c343c
DATA blocks<>+40(SB)/8, $0x050d151d252d353d
DATA blocks<>+48(SB)/8, $0x060e161e262e363e
DATA blocks<>+56(SB)/8, $0x070f171f272f373f
GLOBL blocks<>(SB), RODATA|NOPTR, $64

// Byte 8j + i is 8i + j.
DATA bytes<>+0(SB)/8, $0x3830282018100800
DATA bytes<>+8(SB)/8, $0x3931292119110901
DATA bytes<>+16(SB)/8, $0x3a322a221a120a02
DATA bytes<>+24(SB)/8, $0x3b332b231b130b03
DATA bytes<>+32(SB)/8, $0x3c342c241c140c04
DATA bytes<>+40(SB)/8, $0x3d352d251d150d05
DATA bytes<>+48(SB)/8, $0x3e362e261e160e06
DATA bytes<>+56(SB)/8, $0x3f372f271f170f07
GLOBL bytes<>(SB), RODATA|NOPTR, $64

// Byte i is bit i.
DATA unit<>+0(SB)/8, $0x8040201008040201
GLOBL unit<>(SB), RODATA|NOPTR, $8

// With AVX-512 the matrix is treated as 8 by 8 blocks of 8 by 8 bits: each block is transposed, then the matrix of
// blocks.

// BLOCKS loads the rows 8k to 8k+7, brings each block of them into one word of z, and transposes the blocks: bit i of
// byte c of word j is row 8k+i, column 8j+c. The affine instruction multiplies the unit vectors by the matrix of a
// block, which gives its columns; it takes the rows of that matrix from the last to the first.
#define BLOCKS(k, z) \
	VPERMB         (64*k)(DI), Z16, z; \
	VGF2P8AFFINEQB $0, z, Z18, z

// SAVE stores the rows 8j to 8j+7 of the result: byte k of row 8j+c is byte c of word k of z.
#define SAVE(z, j) \
	VPERMB    z, Z17, z; \
	VMOVDQU64 z, (64*(j))(DI)

// LANES takes the words j, j+2, j+4 and j+6 of the registers 0 to 7, those of two registers side by side in one of
// z01 to z67, gathers each of the four from the registers, and saves it: a transposition of 4 by 4 lanes of two words.
#define LANES(z01, z23, z45, z67, j) \
	VSHUFI64X2 $0x88, z23, z01, Z20; \
	VSHUFI64X2 $0x88, z67, z45, Z21; \
	VSHUFI64X2 $0xdd, z23, z01, Z22; \
	VSHUFI64X2 $0xdd, z67, z45, Z23; \
	VSHUFI64X2 $0x88, Z21, Z20, Z24; \
	VSHUFI64X2 $0x88, Z23, Z22, Z25; \
	VSHUFI64X2 $0xdd, Z21, Z20, Z26; \
	VSHUFI64X2 $0xdd, Z23, Z22, Z27; \
	SAVE(Z24, j);                    \
	SAVE(Z25, j+2);                  \
	SAVE(Z26, j+4);                  \
	SAVE(Z27, j+6)

// With AVX2 the bytes of 32 rows are transposed first. Then the sign bits of byte j of these rows, as one number, are
// half a row of the result; after a shift the next bits are the signs.

// Bytes 0 and 8, 1 and 9, ... of a lane.
DATA pairs<>+0(SB)/8, $0x0b030a0209010800
DATA pairs<>+8(SB)/8, $0x0f070e060d050c04
GLOBL pairs<>(SB), RODATA|NOPTR, $16

// PAIR interleaves the bytes of two rows in the low lane of y, and of the two rows 16 further on in the high lane.
#define PAIR(off, y, x, rows) \
	VMOVDQU off(rows), x;                 \
	VINSERTI128 $1, (off+128)(rows), y, y; \
	VPSHUFB Y15, y, y

#define INTERLEAVE(low, high, a, b, y, z) \
	low  b, a, y; \
	high b, a, z

// SIGNS stores the halves of the rows 8j+7 to 8j of the result: y holds bytes j, half is the offset of the half.
#define SIGNS(y, j, half) \
	SIGN(y, 64*j+56+half); \
	SIGN(y, 64*j+48+half); \
	SIGN(y, 64*j+40+half); \
	SIGN(y, 64*j+32+half); \
	SIGN(y, 64*j+24+half); \
	SIGN(y, 64*j+16+half); \
	SIGN(y, 64*j+8+half);  \
	SIGN(y, 64*j+half)

#define SIGN(y, off) \
	VPMOVMSKB y, AX;  \
	VPADDB y, y, y;   \
	MOVL AX, off(DI)

// HALF transposes 32 rows into halves of the result's rows. Interleaving the bytes of 2 rows, then 2, 4 and 8 bytes of
// a column, gathers byte j of 16 rows in one lane.
#define HALF(rows, half) \
	VBROADCASTI128 pairs<>(SB), Y15; \
	PAIR(0, Y0, X0, rows);   \
	PAIR(16, Y1, X1, rows);  \
	PAIR(32, Y2, X2, rows);  \
	PAIR(48, Y3, X3, rows);  \
	PAIR(64, Y4, X4, rows);  \
	PAIR(80, Y5, X5, rows);  \
	PAIR(96, Y6, X6, rows);  \
	PAIR(112, Y7, X7, rows); \
	INTERLEAVE(VPUNPCKLWD, VPUNPCKHWD, Y0, Y1, Y8, Y9);     \
	INTERLEAVE(VPUNPCKLWD, VPUNPCKHWD, Y2, Y3, Y10, Y11);   \
	INTERLEAVE(VPUNPCKLWD, VPUNPCKHWD, Y4, Y5, Y12, Y13);   \
	INTERLEAVE(VPUNPCKLWD, VPUNPCKHWD, Y6, Y7, Y14, Y15);   \
	INTERLEAVE(VPUNPCKLDQ, VPUNPCKHDQ, Y8, Y10, Y0, Y1);    \
	INTERLEAVE(VPUNPCKLDQ, VPUNPCKHDQ, Y9, Y11, Y2, Y3);    \
	INTERLEAVE(VPUNPCKLDQ, VPUNPCKHDQ, Y12, Y14, Y4, Y5);   \
	INTERLEAVE(VPUNPCKLDQ, VPUNPCKHDQ, Y13, Y15, Y6, Y7);   \
	INTERLEAVE(VPUNPCKLQDQ, VPUNPCKHQDQ, Y0, Y4, Y8, Y9);   \
	INTERLEAVE(VPUNPCKLQDQ, VPUNPCKHQDQ, Y1, Y5, Y10, Y11); \
	INTERLEAVE(VPUNPCKLQDQ, VPUNPCKHQDQ, Y2, Y6, Y12, Y13); \
	INTERLEAVE(VPUNPCKLQDQ, VPUNPCKHQDQ, Y3, Y7, Y14, Y15); \
	SIGNS(Y8, 0, half);  \
	SIGNS(Y9, 1, half);  \
	SIGNS(Y10, 2, half); \
	SIGNS(Y11, 3, half); \
	SIGNS(Y12, 4, half); \
	SIGNS(Y13, 5, half); \
	SIGNS(Y14, 6, half); \
	SIGNS(Y15, 7, half)

// func transposeVector(m *[64]uint64)
TEXT ·transposeVector(SB), NOSPLIT, $256-8
	MOVQ m+0(FP), DI
	CMPB ·level(SB), $const_avx512
	JNE  narrow
	VMOVDQU64    blocks<>(SB), Z16
	VMOVDQU64    bytes<>(SB), Z17
	VPBROADCASTQ unit<>(SB), Z18

	BLOCKS(0, Z0)
	BLOCKS(1, Z1)
	BLOCKS(2, Z2)
	BLOCKS(3, Z3)
	BLOCKS(4, Z4)
	BLOCKS(5, Z5)
	BLOCKS(6, Z6)
	BLOCKS(7, Z7)

	VPUNPCKLQDQ Z1, Z0, Z8
	VPUNPCKLQDQ Z3, Z2, Z9
	VPUNPCKLQDQ Z5, Z4, Z10
	VPUNPCKLQDQ Z7, Z6, Z11
	VPUNPCKHQDQ Z1, Z0, Z12
	VPUNPCKHQDQ Z3, Z2, Z13
	VPUNPCKHQDQ Z5, Z4, Z14
	VPUNPCKHQDQ Z7, Z6, Z15

	LANES(Z8, Z9, Z10, Z11, 0)
	LANES(Z12, Z13, Z14, Z15, 1)
	VZEROUPPER
	RET

narrow: // the lower half of the rows is saved first
	LEAQ lower-256(SP), SI
	VMOVDQU 256(DI), Y0
	VMOVDQU 288(DI), Y1
	VMOVDQU 320(DI), Y2
	VMOVDQU 352(DI), Y3
	VMOVDQU 384(DI), Y4
	VMOVDQU 416(DI), Y5
	VMOVDQU 448(DI), Y6
	VMOVDQU 480(DI), Y7
	VMOVDQU Y0, 0(SI)
	VMOVDQU Y1, 32(SI)
	VMOVDQU Y2, 64(SI)
	VMOVDQU Y3, 96(SI)
	VMOVDQU Y4, 128(SI)
	VMOVDQU Y5, 160(SI)
	VMOVDQU Y6, 192(SI)
	VMOVDQU Y7, 224(SI)
	HALF(DI, 0)
	HALF(SI, 4)
	VZEROUPPER
	RET
