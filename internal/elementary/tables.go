package elementary

import "math/big"

// powers holds, for j from 0 to 63, the number nearest to 2^(j/64), and its relative difference from that.
var powers = func() (table [64]struct{ value, rest float64 }) {
	const bits = 192
	root := new(big.Float).SetPrec(bits).SetInt64(2)
	for range 6 {
		root.Sqrt(root)
	}
	exact, rest := new(big.Float).SetPrec(bits).SetInt64(1), new(big.Float).SetPrec(bits)
	for j := range table {
		p := &table[j]
		p.value, _ = exact.Float64()
		value := big.NewFloat(p.value)
		p.rest, _ = rest.Quo(rest.Sub(exact, value), value).Float64()
		exact.Mul(exact, root)
	}
	return table
}()

// inverses holds, for each cell of logParts, a number of ten bits close to the inverse of the cell's middle, and minus the
// logarithm of that number: a multiple of 2^-42, and the rest.
var inverses = [64]struct{ value, log, rest float64 }{
	{0x1.558p+0, -0x1.27161913f8p-2, -0x1.4f4f1f61564b4p-44},
	{0x1.52p+0, -0x1.1c898c169ap-2, 0x1.81410e5c62affp-44},
	{0x1.4e8p+0, -0x1.11e0e2dadap-2, 0x1.a47f88fcce5bap-45},
	{0x1.4bp+0, -0x1.071b85fcd6p-2, 0x1.bcb8ba3e01a11p-44},
	{0x1.478p+0, -0x1.f871b28956p-3, 0x1.f75fd6a526efep-44},
	{0x1.448p+0, -0x1.e598ed5a88p-3, 0x1.d134bcf1e98a1p-47},
	{0x1.418p+0, -0x1.d293581b6cp-3, 0x1.83270128aaa5fp-44},
	{0x1.3ep+0, -0x1.bc286742d8p-3, -0x1.9ac53f39d121cp-44},
	{0x1.3bp+0, -0x1.a8becfc882p-3, -0x1.e3185cf21b9cfp-44},
	{0x1.38p+0, -0x1.9525a9cf46p-3, 0x1.297137d9f158fp-44},
	{0x1.35p+0, -0x1.815c0a1436p-3, 0x1.02a52f9201ce8p-44},
	{0x1.32p+0, -0x1.6d60fe719ep-3, 0x1.bc6e557134767p-44},
	{0x1.2f8p+0, -0x1.5c94007598p-3, 0x1.a8d948cd23322p-44},
	{0x1.2c8p+0, -0x1.483bccce6ep-3, -0x1.eea52723f6369p-46},
	{0x1.2ap+0, -0x1.371fc201e8p-3, -0x1.ee8779b2d8abcp-44},
	{0x1.27p+0, -0x1.2266f190a6p-3, 0x1.4d20ab840e7f6p-45},
	{0x1.248p+0, -0x1.10f8e42254p-3, 0x1.93b3843396307p-45},
	{0x1.22p+0, -0x1.fec9131dcp-4, 0x1.54555d1ae6607p-44},
	{0x1.1f8p+0, -0x1.db5270187cp-4, -0x1.9277856ae181fp-44},
	{0x1.1dp+0, -0x1.b78c82bb1p-4, 0x1.25ef7bc3987e7p-44},
	{0x1.1a8p+0, -0x1.9375e55594p-4, -0x1.eddc37380c364p-44},
	{0x1.18p+0, -0x1.6f0d28ae58p-4, 0x1.4b4641b664613p-44},
	{0x1.158p+0, -0x1.4a50d3aa1cp-4, 0x1.f7fe1308973e2p-45},
	{0x1.138p+0, -0x1.2cb0283f5cp-4, -0x1.e1ee2ca657021p-44},
	{0x1.11p+0, -0x1.075983599p-4, 0x1.b8ecfe4b59987p-44},
	{0x1.0fp+0, -0x1.d276b8adbp-5, -0x1.6a423c78a64bp-46},
	{0x1.0c8p+0, -0x1.868a83084p-5, 0x1.2623a134ac693p-46},
	{0x1.0a8p+0, -0x1.494acc34d8p-5, -0x1.11c78a56fd247p-45},
	{0x1.088p+0, -0x1.0b94f7c198p-5, 0x1.e89896f022783p-45},
	{0x1.06p+0, -0x1.7b91b07d6p-6, 0x1.3b955b602ace4p-44},
	{0x1.04p+0, -0x1.fc0a8b0fcp-7, -0x1.f1e7cf6d3a69cp-50},
	{0x1.02p+0, -0x1.fe02a6b1p-8, -0x1.9e23f0dda40e4p-46},
	{0x1p+0, 0, 0},
	{0x1.f8p-1, 0x1.020565893p-6, 0x1.611d27c8e8417p-44},
	{0x1.fp-1, 0x1.0415d89e78p-5, -0x1.dddc7f461c516p-44},
	{0x1.e9p-1, 0x1.788595a358p-5, -0x1.08b0d083b3a4cp-46},
	{0x1.e2p-1, 0x1.eea31c0068p-5, 0x1.c3dd83606d891p-44},
	{0x1.dbp-1, 0x1.333d7f8184p-4, -0x1.692b6a81b8848p-49},
	{0x1.d4p-1, 0x1.700d30aeacp-4, 0x1.c1e8da99ded32p-49},
	{0x1.cep-1, 0x1.a4e7640b1cp-4, -0x1.e42b6b94407c8p-47},
	{0x1.c7p-1, 0x1.e3707ee304p-4, 0x1.0f684e6766abdp-45},
	{0x1.c1p-1, 0x1.0ce7ecdcccp-3, 0x1.4652dabff5447p-46},
	{0x1.bbp-1, 0x1.28753bc11ap-3, 0x1.7494e359302e6p-44},
	{0x1.b5p-1, 0x1.4462b9dc9cp-3, -0x1.84858a711b062p-44},
	{0x1.afp-1, 0x1.60b3100b0ap-3, -0x1.71456c988f814p-44},
	{0x1.aap-1, 0x1.7898d85444p-3, 0x1.8e67be3dbaf3fp-44},
	{0x1.a4p-1, 0x1.95a5adcf7p-3, 0x1.7f22858a0ff6fp-47},
	{0x1.9fp-1, 0x1.ae2ca6f672p-3, 0x1.7a8d5ae54f55p-44},
	{0x1.9ap-1, 0x1.c6ffbc6fp-3, 0x1.ee138d3a69d43p-44},
	{0x1.95p-1, 0x1.e020cc6236p-3, -0x1.52b00adb91424p-45},
	{0x1.9p-1, 0x1.f991c6cb3cp-3, -0x1.90d04cd7cc834p-44},
	{0x1.8bp-1, 0x1.09aa572e6cp-2, 0x1.b50a1e1734342p-44},
	{0x1.86p-1, 0x1.16b5ccbadp-2, -0x1.23299042d74bfp-44},
	{0x1.82p-1, 0x1.214456d0ecp-2, -0x1.caf0428b728a3p-44},
	{0x1.7dp-1, 0x1.2e9e2bce12p-2, 0x1.4300c128d1dc2p-45},
	{0x1.79p-1, 0x1.396ce359bcp-2, -0x1.5839c5663663dp-47},
	{0x1.74p-1, 0x1.4718dc271cp-2, 0x1.06c18fb4c14c5p-44},
	{0x1.7p-1, 0x1.522ae0738ap-2, 0x1.ebe708164c759p-45},
	{0x1.6cp-1, 0x1.5d5bddf596p-2, -0x1.a0b2a08a465dcp-47},
	{0x1.68p-1, 0x1.68ac83e9c7p-2, -0x1.7af966c548a3p-44},
	{0x1.64p-1, 0x1.741d876c68p-2, -0x1.13a7b5b11cfa7p-44},
	{0x1.6p-1, 0x1.7fafa3bd81p-2, 0x1.46fb79bf6d4cbp-44},
	{0x1.5dp-1, 0x1.8873658328p-2, -0x1.988e21f7fc497p-45},
	{0x1.59p-1, 0x1.9441434a03p-2, 0x1.2cb81c95fff43p-45},
}
