//go:build !purego

#include "textflag.h"

// Folding (Gopal, Ozturk et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel, 2009).
// Bits are reflected: in a lane of 128 bits, bit 0 is the coefficient of x^127. A lane L x^64 + H moves on by n bits as
// L (x^(n+64) mod P) + H (x^n mod P), and the product of two reflected halves comes out divided by x. So the halves of a
// constant are x^(n+63) and x^(n-1) mod P, for n of 2048 and of 512.
DATA fold2048<>+0(SB)/8, $0xe9a5d8be00000000
DATA fold2048<>+8(SB)/8, $0x1426a81500000000
GLOBL fold2048<>(SB), RODATA|NOPTR, $16
DATA fold512<>+0(SB)/8, $0x1c19243b00000000
DATA fold512<>+8(SB)/8, $0x75bba45b00000000
GLOBL fold512<>(SB), RODATA|NOPTR, $16

// FOLD moves the lanes of z on by the constant and adds the next ones. It overwrites t.
#define FOLD(constant, next, t, z) \
	VPCLMULQDQ $0x00, constant, z, t; \
	VPCLMULQDQ $0x11, constant, z, z; \
	VPTERNLOGQ $0x96, next, t, z

// func updateVector(register uint32, p []byte) uint32
TEXT ·updateVector(SB), NOSPLIT, $64-36
	MOVQ p_base+8(FP), SI
	MOVQ p_len+16(FP), CX
	MOVL register+0(FP), AX
	VMOVD AX, X4
	VBROADCASTI32X4 fold2048<>(SB), Z8
	VBROADCASTI32X4 fold512<>(SB), Z9
	VPXORQ (SI), Z4, Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	ADDQ $256, SI
	SUBQ $512, CX
	JLT  below256
	PCALIGN $32
loop256:
	FOLD(Z8, (SI), Z4, Z0)
	FOLD(Z8, 64(SI), Z5, Z1)
	FOLD(Z8, 128(SI), Z6, Z2)
	FOLD(Z8, 192(SI), Z7, Z3)
	ADDQ $256, SI
	SUBQ $256, CX
	JGE  loop256
below256:
	FOLD(Z9, Z1, Z4, Z0)
	FOLD(Z9, Z2, Z4, Z0)
	FOLD(Z9, Z3, Z4, Z0)
	ADDQ $192, CX
	JLT  below64
loop64:
	FOLD(Z9, (SI), Z4, Z0)
	ADDQ $64, SI
	SUBQ $64, CX
	JGE  loop64
below64:
	VMOVDQU64 Z0, lanes-64(SP)
	VZEROUPPER
	XORL AX, AX
	CRC32Q lanes-64(SP), AX
	CRC32Q lanes-56(SP), AX
	CRC32Q lanes-48(SP), AX
	CRC32Q lanes-40(SP), AX
	CRC32Q lanes-32(SP), AX
	CRC32Q lanes-24(SP), AX
	CRC32Q lanes-16(SP), AX
	CRC32Q lanes-8(SP), AX
	ADDQ $56, CX
	JLT  below8
loop8:
	CRC32Q (SI), AX
	ADDQ $8, SI
	SUBQ $8, CX
	JGE  loop8
below8:
	ADDQ $8, CX
	JEQ  done
loop1:
	CRC32B (SI), AX
	INCQ SI
	DECQ CX
	JNE  loop1
done:
	MOVL AX, ret+32(FP)
	RET
