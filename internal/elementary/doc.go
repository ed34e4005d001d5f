// Package elementary provides the exponential function, the logarithm and related functions, the solution of linear equations,
// and rank correlation, with the same bits on every processor. Package math uses assembly on some processors, and fuses products with sums on others.
//
// This package uses only sums, products, quotients and bit operations, and converts a product before adding it, which prevents
// fusing. A result that is not a number is math.NaN(). Exp, Log and Log1p err by less than 0.51 units in the last place, Expm1 by
// less than 0.55, Pow by less than 1.
//
// The methods are the table-driven ones of P. T. P. Tang (ACM Transactions on Mathematical Software 15, 1989; 16, 1990;
// 18, 1992), with arguments reduced as by W. J. Cody and W. Waite (Software Manual for the Elementary Functions, 1980).
package elementary
