//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Adding rows of a matrix to dst, a block of columns at a time: the block's sum stays in up to 8 registers while
// all rows are added. The last register of a block is masked, so that nothing beyond the columns is read or written.
//
//	BX   words of dst from the block on
//	DI   dst at the block       R13  dst at the block's last register
//	SI   matrix at the block    R12  matrix at the block's last register
//	DX   rows                   R8   current row number  R11  end of rows
//	R9   bytes of a row         R10  offset of the last row, negative if there is none
//	AX   offset of the current row; it cannot overflow, since a set of 32-bit ids has at most 1<<26 words

// BLOCK adds the rows to a block. OR adds the current row to its registers, STORE adds them to dst.
#define BLOCK(loop, next, OR, STORE) \
loop:                  \
	MOVL  (R8), AX;    \
	IMULQ R9, AX;      \
	CMPQ  AX, R10;     \
	JGT   done;        \
	OR;                \
	ADDQ  $4, R8;      \
	CMPQ  R8, R11;     \
	JNE   loop;        \
	STORE;             \
	JMP   next

// CHOOSE jumps to the loop for AX+1 registers; that for 8 follows it.
#define CHOOSE(loop1, loop2, loop3, loop4, loop5, loop6, loop7) \
	CMPL AX, $1; \
	JCS  loop1;  \
	JEQ  loop2;  \
	CMPL AX, $3; \
	JCS  loop3;  \
	JEQ  loop4;  \
	CMPL AX, $5; \
	JCS  loop5;  \
	JEQ  loop6;  \
	CMPL AX, $7; \
	JCS  loop7

#define CLEAR \
	VPXOR X0, X0, X0; \
	VPXOR X1, X1, X1; \
	VPXOR X2, X2, X2; \
	VPXOR X3, X3, X3; \
	VPXOR X4, X4, X4; \
	VPXOR X5, X5, X5; \
	VPXOR X6, X6, X6; \
	VPXOR X7, X7, X7

#define OR512(off, z) \
	VPORQ off(SI)(AX*1), z, z

#define STORE512(off, z) \
	VPORQ     off(DI), z, z; \
	VMOVDQU64 z, off(DI)

#define OR512x1 VPORQ (R12)(AX*1), Z0, K1, Z0
#define OR512x2 OR512x1; OR512(0, Z1)
#define OR512x3 OR512x2; OR512(64, Z2)
#define OR512x4 OR512x3; OR512(128, Z3)
#define OR512x5 OR512x4; OR512(192, Z4)
#define OR512x6 OR512x5; OR512(256, Z5)
#define OR512x7 OR512x6; OR512(320, Z6)
#define OR512x8 OR512x7; OR512(384, Z7)

#define STORE512x1 VPORQ.Z (R13), Z0, K1, Z0; VMOVDQU64 Z0, K1, (R13)
#define STORE512x2 STORE512x1; STORE512(0, Z1)
#define STORE512x3 STORE512x2; STORE512(64, Z2)
#define STORE512x4 STORE512x3; STORE512(128, Z3)
#define STORE512x5 STORE512x4; STORE512(192, Z4)
#define STORE512x6 STORE512x5; STORE512(256, Z5)
#define STORE512x7 STORE512x6; STORE512(320, Z6)
#define STORE512x8 STORE512x7; STORE512(384, Z7)

#define OR256(off, y) \
	VPOR off(SI)(AX*1), y, y

#define STORE256(off, y) \
	VPOR    off(DI), y, y; \
	VMOVDQU y, off(DI)

// Y15 is the mask.
#define OR256x1 VPMASKMOVQ (R12)(AX*1), Y15, Y14; VPOR Y14, Y0, Y0
#define OR256x2 OR256x1; OR256(0, Y1)
#define OR256x3 OR256x2; OR256(32, Y2)
#define OR256x4 OR256x3; OR256(64, Y3)
#define OR256x5 OR256x4; OR256(96, Y4)
#define OR256x6 OR256x5; OR256(128, Y5)
#define OR256x7 OR256x6; OR256(160, Y6)
#define OR256x8 OR256x7; OR256(192, Y7)

#define STORE256x1 VPMASKMOVQ (R13), Y15, Y14; VPOR Y14, Y0, Y0; VPMASKMOVQ Y0, Y15, (R13)
#define STORE256x2 STORE256x1; STORE256(0, Y1)
#define STORE256x3 STORE256x2; STORE256(32, Y2)
#define STORE256x4 STORE256x3; STORE256(64, Y3)
#define STORE256x5 STORE256x4; STORE256(96, Y4)
#define STORE256x6 STORE256x5; STORE256(128, Y5)
#define STORE256x7 STORE256x6; STORE256(160, Y6)
#define STORE256x8 STORE256x7; STORE256(192, Y7)

// Four words of ones, then four of zeros.
DATA masks<>+0(SB)/8, $-1
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $-1
DATA masks<>+24(SB)/8, $-1
DATA masks<>+32(SB)/8, $0
DATA masks<>+40(SB)/8, $0
DATA masks<>+48(SB)/8, $0
DATA masks<>+56(SB)/8, $0
GLOBL masks<>(SB), RODATA|NOPTR, $64

// func orRowsVector(dst, matrix []uint64, rows []uint32) int
TEXT ·orRowsVector(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), BX
	MOVQ matrix_base+24(FP), SI
	MOVQ matrix_len+32(FP), R10
	MOVQ rows_base+48(FP), DX
	MOVQ rows_len+56(FP), R11
	LEAQ (DX)(R11*4), R11
	LEAQ (BX*8), R9
	SUBQ BX, R10
	SHLQ $3, R10
	CMPB ·level(SB), $const_avx512
	JNE  block256

block512: // of up to 64 words: AX+1 registers, CX words in the last
	MOVL  $64, CX
	CMPQ  BX, CX
	CMOVQLT BX, CX
	DECL  CX
	MOVL  CX, AX
	SHRL  $3, AX
	ANDL  $7, CX
	INCL  CX
	MOVL  $1, R8
	SHLL  CX, R8
	DECL  R8
	KMOVW R8, K1
	MOVL  AX, CX
	SHLL  $6, CX
	LEAQ  (SI)(CX*1), R12
	LEAQ  (DI)(CX*1), R13
	MOVQ  DX, R8
	CLEAR
	CHOOSE(wide1, wide2, wide3, wide4, wide5, wide6, wide7)

	BLOCK(wide8, next512, OR512x8, STORE512x8)
	BLOCK(wide7, next512, OR512x7, STORE512x7)
	BLOCK(wide6, next512, OR512x6, STORE512x6)
	BLOCK(wide5, next512, OR512x5, STORE512x5)
	BLOCK(wide4, next512, OR512x4, STORE512x4)
	BLOCK(wide3, next512, OR512x3, STORE512x3)
	BLOCK(wide2, next512, OR512x2, STORE512x2)
	BLOCK(wide1, next512, OR512x1, STORE512x1)

next512:
	ADDQ $512, DI
	ADDQ $512, SI
	SUBQ $64, BX
	JGT  block512
	JMP  done

block256: // of up to 32 words: AX+1 registers, CX words in the last
	MOVL  $32, CX
	CMPQ  BX, CX
	CMOVQLT BX, CX
	DECL  CX
	MOVL  CX, AX
	SHRL  $2, AX
	ANDL  $3, CX
	LEAQ  masks<>+24(SB), R8
	SHLL  $3, CX
	SUBQ  CX, R8
	VMOVDQU (R8), Y15
	MOVL  AX, CX
	SHLL  $5, CX
	LEAQ  (SI)(CX*1), R12
	LEAQ  (DI)(CX*1), R13
	MOVQ  DX, R8
	CLEAR
	CHOOSE(narrow1, narrow2, narrow3, narrow4, narrow5, narrow6, narrow7)

	BLOCK(narrow8, next256, OR256x8, STORE256x8)
	BLOCK(narrow7, next256, OR256x7, STORE256x7)
	BLOCK(narrow6, next256, OR256x6, STORE256x6)
	BLOCK(narrow5, next256, OR256x5, STORE256x5)
	BLOCK(narrow4, next256, OR256x4, STORE256x4)
	BLOCK(narrow3, next256, OR256x3, STORE256x3)
	BLOCK(narrow2, next256, OR256x2, STORE256x2)
	BLOCK(narrow1, next256, OR256x1, STORE256x1)

next256:
	ADDQ $256, DI
	ADDQ $256, SI
	SUBQ $32, BX
	JGT  block256

done: // the number of rows added by the last block
	VZEROUPPER
	SUBQ DX, R8
	SHRQ $2, R8
	MOVQ R8, ret+72(FP)
	RET
