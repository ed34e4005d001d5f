package main

import (
	"strconv"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

var postgres = engine{
	driver: "pgx",
	begin: []string{
		"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		"SET LOCAL TimeZone = 'UTC'", "SET LOCAL DateStyle = 'ISO'", "SET LOCAL IntervalStyle = 'iso_8601'",
		"SET LOCAL extra_float_digits = 1",
	},
	schema: "SELECT current_schema()",
	tables: `SELECT c.relname::text, (c.relkind IN ('v', 'm', 'f') OR c.relispartition)::text, obj_description(c.oid, 'pg_class')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname::text COLLATE "C"`,
	columns: `SELECT a.attname::text,
			CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod) ELSE format_type(a.atttypid, a.atttypmod) END,
			(NOT a.attnotnull)::text, col_description(c.oid, a.attnum)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
		WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
	keys: `SELECT k.contype::text, k.conname::text, a.attname::text, fn.nspname::text, fc.relname::text, fa.attname::text
		FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY p(number, place)
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number
		LEFT JOIN pg_class fc ON fc.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = fc.relnamespace
		LEFT JOIN pg_attribute fa ON fa.attrelid = fc.oid AND fa.attnum = k.confkey[p.place]
		WHERE n.nspname = $1 AND c.relname = $2 AND k.contype IN ('p', 'u', 'f') AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.oid = k.conparentid AND o.conrelid = k.conrelid)
		ORDER BY k.contype::text, k.conname::text COLLATE "C", p.place`,
	quote:    doubled(`"`),
	bytewise: `%s::text COLLATE "C"`,
	classify: func(c *column, typ string) {
		name, digits, _ := strings.Cut(typ, "(")
		switch name {
		case "smallint", "integer", "bigint", "oid":
			c.as(whole)
		case "real", "double precision":
			c.as(float)
		case "numeric":
			c.as(numeric(digits))
		case "boolean":
			c.as(truth)
		case "date":
			c.as(day)
		case "bytea":
			c.as(binary)
			return
		default:
			switch {
			case strings.HasPrefix(typ, "timestamp") && strings.HasSuffix(typ, "with time zone"):
				c.as(moment)
			case strings.HasPrefix(typ, "timestamp") && strings.HasSuffix(typ, "without time zone"):
				c.as(local)
			default:
				c.as(text)
			}
		}
		c.value += "::text"
	},
}

// numeric returns how decimals of "PRECISION, SCALE)" are read: as whole numbers where they are.
func numeric(digits string) kind {
	precision, scale, _ := strings.Cut(strings.TrimSuffix(digits, ")"), ",")
	if n, err := strconv.Atoi(precision); err == nil && n <= 18 && (scale == "" || strings.TrimSpace(scale) == "0") {
		return whole
	}
	return decimal
}
