package main_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
	"resolwe/internal/test/check"
)

// server is a database of a kind.
type server struct {
	name   string
	driver string
	own    string // the data source name for the driver
	// address is that for the program, of a database of the server.
	address func(database string) string
	missing string // why there is no server, "" if there is one
}

func TestMain(m *testing.M) {
	status := m.Run()
	for _, stop := range stops {
		stop()
	}
	os.Exit(status)
}

// stops end the servers that run.
var stops []func()

// program finds the program that is called by one of some names, on the path or where Debian keeps it.
func program(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
		found = append(found, "/usr/sbin/"+name)
		for _, path := range slices.Backward(found) {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// newServer makes a folder for a server, whose path is short enough for a socket, and commands as a user who may run one.
func newServer(as ...string) (dir string, command func(name string, args ...string) *exec.Cmd, err error) {
	if dir, err = os.MkdirTemp("", "db"); err != nil {
		return "", nil, err
	}
	var credential *syscall.Credential
	for _, name := range as {
		if u, err := user.Lookup(name); err == nil && os.Getuid() == 0 && credential == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			if err := os.Chown(dir, uid, gid); err != nil {
				return "", nil, err
			}
		}
	}
	return dir, func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{Credential: credential}
		c.Env = append(os.Environ(), "TZ=Asia/Tokyo", "HOME="+dir)
		return c
	}, nil
}

// run starts a server after its database was made, and waits for it.
func (s *server) run(dir string, setup, serve *exec.Cmd, end os.Signal) {
	fail := func(err error) {
		s.missing = fmt.Sprintf("%s does not run here: %v", s.name, err)
		_ = os.RemoveAll(dir)
	}
	if out, err := setup.CombinedOutput(); err != nil {
		fail(fmt.Errorf("%w: %s", err, out))
		return
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err == nil {
		serve.Stdout, serve.Stderr = log, log
		err = serve.Start()
	}
	if err != nil {
		fail(err)
		return
	}
	stop := func() {
		_ = serve.Process.Signal(end)
		_ = serve.Wait()
		_ = os.RemoveAll(dir)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db, err := sql.Open(s.driver, s.own)
	for err == nil {
		if err = db.PingContext(ctx); err == nil {
			_ = db.Close()
			stops = append(stops, stop)
			return
		}
		if ctx.Err() == nil {
			err = nil
			time.Sleep(50 * time.Millisecond)
		}
	}
	text, _ := os.ReadFile(log.Name())
	stop()
	s.missing = fmt.Sprintf("%s does not answer: %v\n%s", s.name, err, text)
}

var postgres = sync.OnceValue(func() *server {
	s := &server{name: "PostgreSQL", driver: "pgx"}
	initdb, serve := program("initdb"), program("postgres")
	if initdb == "" || serve == "" {
		s.missing = "PostgreSQL is not installed: .ci/import installs it"
		return s
	}
	dir, command, err := newServer("postgres", "nobody")
	if err != nil {
		s.missing = err.Error()
		return s
	}
	data := filepath.Join(dir, "data")
	s.address = func(database string) string { return "postgres:///" + database + "?user=tester&host=" + dir }
	s.own = s.address("postgres")
	s.run(dir, command(initdb, "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"),
		command(serve, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off"), syscall.SIGINT)
	return s
})

var mariadb = sync.OnceValue(func() *server {
	s := &server{name: "MariaDB", driver: "mysql"}
	install, serve := program("mariadb-install-db", "mysql_install_db"), program("mariadbd", "mysqld")
	if install == "" || serve == "" {
		s.missing = "MariaDB is not installed: .ci/import installs it"
		return s
	}
	dir, command, err := newServer("mysql", "nobody")
	if err != nil {
		s.missing = err.Error()
		return s
	}
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	s.address = func(database string) string { return "mysql://root@localhost/" + database + "?socket=" + socket }
	s.own = "root@unix(" + socket + ")/?multiStatements=true"
	s.run(dir, command(install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db"),
		command(serve, "--no-defaults", "--datadir="+data, "--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--skip-networking",
			"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M", "--default-time-zone=+09:00"), syscall.SIGTERM)
	return s
})

// engines are the databases that tests run on.
var engines = map[string]func() *server{"SQLite": nil, "PostgreSQL": postgres, "MariaDB": mariadb}

var databases int

// database makes a database and runs statements in it, in the dialect of each: a name in @ is a type. It returns the address for the
// program, and a connection.
func database(t *testing.T, engine, statements string) (address string, db *sql.DB) {
	t.Helper()
	dialect := map[string]string{"@datetime": "TIMESTAMP", "@bytes": "BYTEA", "@real": "DOUBLE PRECISION"}
	if engine != "PostgreSQL" {
		dialect = map[string]string{"@datetime": "DATETIME", "@bytes": "BLOB", "@real": "DOUBLE"}
	}
	for from, to := range dialect {
		statements = strings.ReplaceAll(statements, from, to)
	}
	if engine == "SQLite" {
		address = filepath.Join(t.TempDir(), "file.db")
		db, err := sql.Open("sqlite", address)
		check.OK(t, err)
		t.Cleanup(func() { _ = db.Close() })
		_, err = db.ExecContext(t.Context(), statements)
		check.OKf(t, err, "%s", engine)
		return address, db
	}
	s := engines[engine]()
	if s.missing != "" {
		t.Skip(s.missing)
	}
	databases++
	name := fmt.Sprint("test", databases)
	admin, err := sql.Open(s.driver, s.own)
	check.OK(t, err)
	defer admin.Close()
	_, err = admin.ExecContext(t.Context(), "CREATE DATABASE "+name)
	check.OK(t, err)
	own := s.address(name)
	if s.driver == "mysql" {
		own = strings.Replace(s.own, "/?", "/"+name+"?sql_mode='ANSI_QUOTES'&charset=utf8mb4&", 1)
	}
	db, err = sql.Open(s.driver, own)
	check.OK(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), statements)
	check.OKf(t, err, "%s", engine)
	return s.address(name), db
}
