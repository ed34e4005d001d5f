package castagnoli_test

import (
	"fmt"

	"resolwe/internal/castagnoli"
)

func Example() {
	whole := castagnoli.Checksum([]byte("123456789"))
	parts := castagnoli.Update(castagnoli.Checksum([]byte("1234")), []byte("56789"))
	fmt.Printf("%#x %v\n", whole, whole == parts)
	// Output: 0xe3069283 true
}
