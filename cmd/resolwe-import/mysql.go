package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"
	"resolwe/cmd/internal/console"
)

var mariadb = engine{ // and MySQL
	driver: "mysql",
	begin: []string{
		"SET SESSION time_zone = '+00:00'", "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
	},
	schema: "SELECT DATABASE()",
	tables: `SELECT TABLE_NAME, TABLE_TYPE NOT IN ('BASE TABLE', 'SYSTEM VERSIONED'), IF(TABLE_TYPE LIKE '%VIEW', '', TABLE_COMMENT)
		FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY CAST(TABLE_NAME AS BINARY)`,
	columns: `SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES', COLUMN_COMMENT
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`,
	keys: `SELECT LOWER(LEFT(c.CONSTRAINT_TYPE, 1)), c.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME
		FROM information_schema.TABLE_CONSTRAINTS c JOIN information_schema.KEY_COLUMN_USAGE k
		ON k.TABLE_SCHEMA = c.TABLE_SCHEMA AND k.TABLE_NAME = c.TABLE_NAME AND k.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND k.CONSTRAINT_NAME = c.CONSTRAINT_NAME
		WHERE c.TABLE_SCHEMA = ? AND c.TABLE_NAME = ? AND c.CONSTRAINT_TYPE IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
		AND (c.CONSTRAINT_TYPE = 'FOREIGN KEY') = (k.REFERENCED_TABLE_NAME IS NOT NULL)
		ORDER BY c.CONSTRAINT_TYPE, CAST(c.CONSTRAINT_NAME AS BINARY), k.ORDINAL_POSITION`,
	quote:    doubled("`"),
	bytewise: "CAST(%s AS BINARY)",
	classify: func(c *column, typ string) {
		name, digits, _ := strings.Cut(typ, "(")
		name, _, _ = strings.Cut(name, " ")
		switch name {
		case "tinyint", "smallint", "mediumint", "int", "bigint", "year":
			if c.as(whole); strings.HasPrefix(typ, "tinyint(1)") && !strings.Contains(typ, "unsigned") {
				c.as(truth)
			}
			c.wide = strings.Contains(typ, "unsigned")
		case "float", "double":
			c.as(float)
		case "decimal":
			digits, _, _ = strings.Cut(digits, ")")
			c.as(numeric(digits))
		case "bit":
			if c.as(truth); typ != "bit(1)" {
				c.as(whole)
				c.wide = true
				c.value = "(" + c.value + " + 0)"
			}
		case "date":
			c.as(day)
		case "datetime":
			c.as(local)
		case "timestamp":
			c.as(moment)
		case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "geometry", "point", "linestring", "polygon",
			"multipoint", "multilinestring", "multipolygon", "geometrycollection", "geomcollection", "vector":
			c.as(binary)
		default:
			c.as(text)
			c.value = "CAST(" + c.value + " AS CHAR)"
		}
	},
	settle: settleMySQL,
}

// settleMySQL finds out which whole numbers are truth values, and which have more than 63 bits.
func settleMySQL(ctx context.Context, db *database, t *table) error {
	var within []string
	var asked []*column
	for _, c := range t.columns {
		if c.kind == truth || c.wide {
			within = append(within, fmt.Sprintf("MIN(%s + 0 <= %d)", c.order, map[bool]uint64{true: 1, false: math.MaxInt64}[c.kind == truth]))
			asked = append(asked, c)
		}
	}
	if asked == nil {
		return nil
	}
	return db.each(ctx, "SELECT "+strings.Join(within, ", ")+" FROM "+db.from(t), nil, len(asked), func(cells []string) {
		for i, c := range asked {
			switch {
			case cells[i] != "0":
			case c.kind == truth:
				c.as(whole)
			default:
				c.kind = decimal
			}
		}
	})
}

// mysqlDSN returns the data source name of a URL, or of one of the driver, so that it returns times as they are.
func mysqlDSN(text string) (string, error) {
	if strings.Contains(text, "://") {
		u, err := url.Parse(text)
		if err != nil { // which would show the password
			return "", console.UsageError("the address is not a URL: write mysql://USER@HOST:PORT/DATABASE, and %XX for special characters of a password")
		}
		c := mysql.NewConfig()
		c.Net, c.Addr, c.User, c.DBName = "tcp", address(u), u.User.Username(), strings.TrimPrefix(u.Path, "/")
		c.Passwd, _ = u.User.Password()
		options := u.Query()
		if socket := options.Get("socket"); socket != "" {
			c.Net, c.Addr = "unix", socket
			options.Del("socket")
		}
		base, own, _ := strings.Cut(c.FormatDSN(), "?")
		text = base + "?" + strings.Trim(own+"&"+options.Encode(), "&")
	}
	c, err := mysql.ParseDSN(text)
	if err != nil {
		return "", console.UsageError(err.Error())
	}
	c.ParseTime, c.Passwd = false, cmp.Or(c.Passwd, os.Getenv("MYSQL_PWD"))
	return c.FormatDSN(), nil
}

// address returns the host and the port of a URL.
func address(u *url.URL) string {
	host := cmp.Or(u.Hostname(), "localhost")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + cmp.Or(u.Port(), "3306")
}
