// Package table holds tables of entities and values as dictionary-encoded columns, and says what they are made of.
package table
