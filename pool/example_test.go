package pool_test

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"resolwe/pool"
)

// words is a source of the elements of list.
func words(list ...string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		if len(list) == 0 {
			return "", io.EOF
		}
		word := list[0]
		list = list[1:]
		return word, nil
	}
}

func ExampleMap() {
	upper := func(_ context.Context, scratch *bytes.Buffer, word string) (string, error) {
		scratch.Reset()
		scratch.WriteString(word)
		return string(bytes.ToUpper(scratch.Bytes())), nil
	}
	show := func(word string) error {
		fmt.Println(word)
		return nil
	}
	newScratch := func() *bytes.Buffer { return new(bytes.Buffer) }
	if err := pool.Map(context.Background(), 4, words("one", "two", "three"), newScratch, upper, show); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ONE
	// TWO
	// THREE
}

func ExampleReduce() {
	count := func(_ context.Context, letters map[rune]int, word string) error {
		for _, r := range word {
			letters[r]++
		}
		return nil
	}
	newCounts := func() map[rune]int { return map[rune]int{} }
	parts, err := pool.Reduce(context.Background(), 4, words("one", "two", "three"), newCounts, count)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := 0
	for _, letters := range parts {
		e += letters['e']
	}
	fmt.Println("e:", e)
	// Output: e: 3
}

func ExamplePanicError() {
	divide := func(_ context.Context, _ struct{}, word string) (int, error) { return 1 / (len(word) - 3), nil }
	err := pool.Map(context.Background(), 2, words("three", "two"), noScratch, divide, func(int) error { return nil })
	fmt.Println(err)
	// Output: panic at item 1: runtime error: integer divide by zero
}
