// Package elementary gives the exponential function, the logarithm and their kin, and the solution of linear equations, the same
// bits on every processor. Those of package math have assembly for some processors, and products fused with sums on others.
//
// Here are only sums, products, quotients and moves of bits, and a product that is added to something is converted first,
// which keeps the two from being fused. A result that is no number is math.NaN(). Exp, Log and Log1p err by less than 0.51
// units in the last place, Expm1 by less than 0.55, Pow by less than 1.
//
// The methods are the table-driven ones of P. T. P. Tang (ACM Transactions on Mathematical Software 15, 1989; 16, 1990;
// 18, 1992), with arguments reduced as by W. J. Cody and W. Waite (Software Manual for the Elementary Functions, 1980).
package elementary
