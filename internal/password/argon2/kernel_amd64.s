// The compression function G of RFC 9106 3.5, 3.6, on the vector units of amd64.
//
// A block of 1024 bytes is a matrix of 8 rows of 16 words. P mixes each row, and
// then each column, which is two words wide. Its step GB, on words a, b, c, d,
//
//	a += b + 2*lo(a)*lo(b); d = (d^a) >>> 32; c += d + 2*lo(c)*lo(d); b = (b^c) >>> 24
//	a += b + 2*lo(a)*lo(b); d = (d^a) >>> 16; c += d + 2*lo(c)*lo(d); b = (b^c) >>> 63
//
// runs on all words of a register at once, and on two sets of registers at a
// time, so that one need not wait for the results of the other.

#include "textflag.h"

DATA rotate24<>+0(SB)/8, $0x0201000706050403
DATA rotate24<>+8(SB)/8, $0x0a09080f0e0d0c0b
DATA rotate24<>+16(SB)/8, $0x0201000706050403
DATA rotate24<>+24(SB)/8, $0x0a09080f0e0d0c0b
GLOBL rotate24<>(SB), RODATA|NOPTR, $32

DATA rotate16<>+0(SB)/8, $0x0100070605040302
DATA rotate16<>+8(SB)/8, $0x09080f0e0d0c0b0a
DATA rotate16<>+16(SB)/8, $0x0100070605040302
DATA rotate16<>+24(SB)/8, $0x09080f0e0d0c0b0a
GLOBL rotate16<>(SB), RODATA|NOPTR, $32

// ADDMUL is a += b + 2*lo(a)*lo(b), and the next step d ^= a with it.
#define ADDMUL(mul, add, xor, a0, b0, d0, a1, b1, d1, t0, t1) \
	mul b0, a0, t0; \
	mul b1, a1, t1; \
	add b0, a0, a0; \
	add b1, a1, a1; \
	add t0, t0, t0; \
	add t1, t1, t1; \
	add t0, a0, a0; \
	add t1, a1, a1; \
	xor a0, d0, d0; \
	xor a1, d1, d1

// AVX2: four words a register. Y8 and Y9 are scratch, Y14 and Y15 the shuffles
// that rotate by 24 and 16 bits.

#define G2(a0, b0, c0, d0, a1, b1, c1, d1) \
	ADDMUL(VPMULUDQ, VPADDQ, VPXOR, a0, b0, d0, a1, b1, d1, Y8, Y9); \
	VPSHUFD $0xB1, d0, d0; \
	VPSHUFD $0xB1, d1, d1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXOR, c0, d0, b0, c1, d1, b1, Y8, Y9); \
	VPSHUFB Y14, b0, b0; \
	VPSHUFB Y14, b1, b1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXOR, a0, b0, d0, a1, b1, d1, Y8, Y9); \
	VPSHUFB Y15, d0, d0; \
	VPSHUFB Y15, d1, d1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXOR, c0, d0, b0, c1, d1, b1, Y8, Y9); \
	VPADDQ  b0, b0, Y8; \
	VPADDQ  b1, b1, Y9; \
	VPSRLQ  $63, b0, b0; \
	VPSRLQ  $63, b1, b1; \
	VPXOR   Y8, b0, b0; \
	VPXOR   Y9, b1, b1

// TURN moves the words of b, c and d by one, two and three places (or back).
#define TURN(b, c, d, one, three) \
	VPERMQ one, b, b; \
	VPERMQ $0x4E, c, c; \
	VPERMQ three, d, d

// func compressAVX2(dst, x, y, scratch *block, over bool)
TEXT ·compressAVX2(SB), NOSPLIT, $0-33
	MOVQ    dst+0(FP), DI
	MOVQ    x+8(FP), SI
	MOVQ    y+16(FP), DX
	MOVQ    scratch+24(FP), R8
	MOVBLZX over+32(FP), R9
	VMOVDQU rotate24<>(SB), Y14
	VMOVDQU rotate16<>(SB), Y15
	XORQ    AX, AX

rows: // two at a time; four words of a row are a register
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1
	VMOVDQU 64(SI)(AX*1), Y2
	VMOVDQU 96(SI)(AX*1), Y3
	VMOVDQU 128(SI)(AX*1), Y4
	VMOVDQU 160(SI)(AX*1), Y5
	VMOVDQU 192(SI)(AX*1), Y6
	VMOVDQU 224(SI)(AX*1), Y7
	VPXOR   (DX)(AX*1), Y0, Y0
	VPXOR   32(DX)(AX*1), Y1, Y1
	VPXOR   64(DX)(AX*1), Y2, Y2
	VPXOR   96(DX)(AX*1), Y3, Y3
	VPXOR   128(DX)(AX*1), Y4, Y4
	VPXOR   160(DX)(AX*1), Y5, Y5
	VPXOR   192(DX)(AX*1), Y6, Y6
	VPXOR   224(DX)(AX*1), Y7, Y7
	G2(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	TURN(Y1, Y2, Y3, $0x39, $0x93)
	TURN(Y5, Y6, Y7, $0x39, $0x93)
	G2(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	TURN(Y1, Y2, Y3, $0x93, $0x39)
	TURN(Y5, Y6, Y7, $0x93, $0x39)
	VMOVDQU Y0, (R8)(AX*1)
	VMOVDQU Y1, 32(R8)(AX*1)
	VMOVDQU Y2, 64(R8)(AX*1)
	VMOVDQU Y3, 96(R8)(AX*1)
	VMOVDQU Y4, 128(R8)(AX*1)
	VMOVDQU Y5, 160(R8)(AX*1)
	VMOVDQU Y6, 192(R8)(AX*1)
	VMOVDQU Y7, 224(R8)(AX*1)
	ADDQ    $256, AX
	CMPQ    AX, $1024
	JNE     rows
	XORQ    AX, AX

columns: // two at a time; each half of a register is a row of one column
	VMOVDQU (R8)(AX*1), Y0
	VMOVDQU 128(R8)(AX*1), Y1
	VMOVDQU 256(R8)(AX*1), Y2
	VMOVDQU 384(R8)(AX*1), Y3
	VMOVDQU 512(R8)(AX*1), Y4
	VMOVDQU 640(R8)(AX*1), Y5
	VMOVDQU 768(R8)(AX*1), Y6
	VMOVDQU 896(R8)(AX*1), Y7
	G2(Y0, Y2, Y4, Y6, Y1, Y3, Y5, Y7)

	// The diagonals: b is turned by one word and d by three, over two
	// registers each; c by two, which is an exchange of names.
	VPALIGNR $8, Y2, Y3, Y10
	VPALIGNR $8, Y3, Y2, Y3
	VPALIGNR $8, Y7, Y6, Y11
	VPALIGNR $8, Y6, Y7, Y7
	G2(Y0, Y10, Y5, Y11, Y1, Y3, Y4, Y7)
	VPALIGNR $8, Y3, Y10, Y2
	VPALIGNR $8, Y10, Y3, Y3
	VPALIGNR $8, Y11, Y7, Y6
	VPALIGNR $8, Y7, Y11, Y7

	VPXOR (SI)(AX*1), Y0, Y0
	VPXOR 128(SI)(AX*1), Y1, Y1
	VPXOR 256(SI)(AX*1), Y2, Y2
	VPXOR 384(SI)(AX*1), Y3, Y3
	VPXOR 512(SI)(AX*1), Y4, Y4
	VPXOR 640(SI)(AX*1), Y5, Y5
	VPXOR 768(SI)(AX*1), Y6, Y6
	VPXOR 896(SI)(AX*1), Y7, Y7
	VPXOR (DX)(AX*1), Y0, Y0
	VPXOR 128(DX)(AX*1), Y1, Y1
	VPXOR 256(DX)(AX*1), Y2, Y2
	VPXOR 384(DX)(AX*1), Y3, Y3
	VPXOR 512(DX)(AX*1), Y4, Y4
	VPXOR 640(DX)(AX*1), Y5, Y5
	VPXOR 768(DX)(AX*1), Y6, Y6
	VPXOR 896(DX)(AX*1), Y7, Y7
	TESTL R9, R9
	JZ    store
	VPXOR (DI)(AX*1), Y0, Y0
	VPXOR 128(DI)(AX*1), Y1, Y1
	VPXOR 256(DI)(AX*1), Y2, Y2
	VPXOR 384(DI)(AX*1), Y3, Y3
	VPXOR 512(DI)(AX*1), Y4, Y4
	VPXOR 640(DI)(AX*1), Y5, Y5
	VPXOR 768(DI)(AX*1), Y6, Y6
	VPXOR 896(DI)(AX*1), Y7, Y7

store:
	VMOVDQU Y0, (DI)(AX*1)
	VMOVDQU Y1, 128(DI)(AX*1)
	VMOVDQU Y2, 256(DI)(AX*1)
	VMOVDQU Y3, 384(DI)(AX*1)
	VMOVDQU Y4, 512(DI)(AX*1)
	VMOVDQU Y5, 640(DI)(AX*1)
	VMOVDQU Y6, 768(DI)(AX*1)
	VMOVDQU Y7, 896(DI)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, $128
	JNE     columns
	VZEROUPPER
	RET

// AVX-512: eight words a register, and a whole block in half of them. Z24 and
// Z25 are scratch.

#define G4(a0, b0, c0, d0, a1, b1, c1, d1) \
	ADDMUL(VPMULUDQ, VPADDQ, VPXORQ, a0, b0, d0, a1, b1, d1, Z24, Z25); \
	VPRORQ $32, d0, d0; \
	VPRORQ $32, d1, d1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXORQ, c0, d0, b0, c1, d1, b1, Z24, Z25); \
	VPRORQ $24, b0, b0; \
	VPRORQ $24, b1, b1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXORQ, a0, b0, d0, a1, b1, d1, Z24, Z25); \
	VPRORQ $16, d0, d0; \
	VPRORQ $16, d1, d1; \
	ADDMUL(VPMULUDQ, VPADDQ, VPXORQ, c0, d0, b0, c1, d1, b1, Z24, Z25); \
	VPRORQ $63, b0, b0; \
	VPRORQ $63, b1, b1

// FETCH loads a row of x^y into two registers.
#define FETCH(at, lo, hi) \
	VMOVDQU64 at(SI), lo; \
	VMOVDQU64 at+64(SI), hi; \
	VPXORQ    at(DX), lo, lo; \
	VPXORQ    at+64(DX), hi, hi

// PAIR puts quarters of two rows beside one another; UNPAIR takes them apart.
#define PAIR(lo0, hi0, lo1, hi1, a, b, c, d) \
	VSHUFI64X2 $0x44, lo1, lo0, a; \
	VSHUFI64X2 $0xEE, lo1, lo0, b; \
	VSHUFI64X2 $0x44, hi1, hi0, c; \
	VSHUFI64X2 $0xEE, hi1, hi0, d

#define UNPAIR(a, b, c, d, lo0, hi0, lo1, hi1) \
	VSHUFI64X2 $0x44, b, a, lo0; \
	VSHUFI64X2 $0xEE, b, a, lo1; \
	VSHUFI64X2 $0x44, d, c, hi0; \
	VSHUFI64X2 $0xEE, d, c, hi1

#define ROWS4(lo0, hi0, lo1, hi1, lo2, hi2, lo3, hi3) \
	PAIR(lo0, hi0, lo1, hi1, Z16, Z17, Z18, Z19); \
	PAIR(lo2, hi2, lo3, hi3, Z20, Z21, Z22, Z23); \
	G4(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	TURN(Z17, Z18, Z19, $0x39, $0x93); \
	TURN(Z21, Z22, Z23, $0x39, $0x93); \
	G4(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	TURN(Z17, Z18, Z19, $0x93, $0x39); \
	TURN(Z21, Z22, Z23, $0x93, $0x39); \
	UNPAIR(Z16, Z17, Z18, Z19, lo0, hi0, lo1, hi1); \
	UNPAIR(Z20, Z21, Z22, Z23, lo2, hi2, lo3, hi3)

// COLUMNS4 takes one register of each of the eight rows.
#define COLUMNS4(a0, a1, b0, b1, c0, c1, d0, d1) \
	G4(a0, b0, c0, d0, a1, b1, c1, d1); \
	VPALIGNR $8, b0, b1, Z16; \
	VPALIGNR $8, b1, b0, b1; \
	VPALIGNR $8, d1, d0, Z17; \
	VPALIGNR $8, d0, d1, d1; \
	G4(a0, Z16, c1, Z17, a1, b1, c0, d1); \
	VPALIGNR $8, b1, Z16, b0; \
	VPALIGNR $8, Z16, b1, b1; \
	VPALIGNR $8, Z17, d1, d0; \
	VPALIGNR $8, d1, Z17, d1

// FEED is the feed-forward z ^= x^y.
#define FEED(at, lo, hi) \
	VMOVDQU64  at(SI), Z16; \
	VMOVDQU64  at+64(SI), Z17; \
	VPTERNLOGQ $0x96, at(DX), Z16, lo; \
	VPTERNLOGQ $0x96, at+64(DX), Z17, hi

#define OVER(at, lo, hi) \
	VPXORQ at(DI), lo, lo; \
	VPXORQ at+64(DI), hi, hi

#define STORE(at, lo, hi) \
	VMOVDQU64 lo, at(DI); \
	VMOVDQU64 hi, at+64(DI)

#define ROWS8(do) \
	do(0, Z0, Z1); \
	do(128, Z2, Z3); \
	do(256, Z4, Z5); \
	do(384, Z6, Z7); \
	do(512, Z8, Z9); \
	do(640, Z10, Z11); \
	do(768, Z12, Z13); \
	do(896, Z14, Z15)

// func compressAVX512(dst, x, y, scratch *block, over bool)
TEXT ·compressAVX512(SB), NOSPLIT, $0-33
	MOVQ    dst+0(FP), DI
	MOVQ    x+8(FP), SI
	MOVQ    y+16(FP), DX
	MOVBLZX over+32(FP), R9
	ROWS8(FETCH)
	ROWS4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	ROWS4(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	COLUMNS4(Z0, Z2, Z4, Z6, Z8, Z10, Z12, Z14)
	COLUMNS4(Z1, Z3, Z5, Z7, Z9, Z11, Z13, Z15)
	ROWS8(FEED)
	TESTL   R9, R9
	JZ      store
	ROWS8(OVER)

store:
	ROWS8(STORE)
	VZEROUPPER
	RET
