package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2"
)

// provider is the name of the plugin in the EncryptionConfiguration. It is part of a stored value's prefix, and
// upstream's test clock is set by this name.
const provider = "keyfleet"

// A controlPlane is a set of API servers that share one etcd; the etcd is a map here.
type controlPlane struct {
	config  string
	servers map[string]*apiServer
	etcd    map[string][]byte
}

// execute runs one command line and returns its answer.
func (c *controlPlane) execute(ctx context.Context, words []string) (string, error) {
	switch {
	case is(words, "load", 2):
		return c.load(ctx, words[1])
	case is(words, "later", 2):
		return c.advanceClock(words[1])
	}
	if len(words) < 2 || c.servers[words[1]] == nil {
		return "", fmt.Errorf("no such command, or no such server: %q", words)
	}
	server := c.servers[words[1]]
	switch {
	case is(words, "write", 4):
		return c.write(ctx, server, words[2], []byte(words[3]))
	case is(words, "read", 3):
		return c.read(ctx, server, words[2])
	case is(words, "list", 2):
		return c.list(ctx, server)
	case is(words, "fill", 3):
		return c.fill(ctx, server, words[2])
	case is(words, "touch", 2):
		return c.touch(ctx, server)
	case is(words, "health", 2):
		return "", server.health(ctx)
	case is(words, "calls", 2):
		return server.calls.String(), nil
	}
	return "", fmt.Errorf("no such command: %q", words)
}

func is(words []string, command string, length int) bool {
	return len(words) == length && words[0] == command
}

// load starts a server; it replaces a server of that name, as a restart does.
func (c *controlPlane) load(ctx context.Context, name string) (string, error) {
	if old := c.servers[name]; old != nil {
		old.stop()
	}
	server, err := start(ctx, c.config, name)
	if err != nil {
		return "", err
	}
	c.servers[name] = server
	return "", nil
}

func (c *controlPlane) advanceClock(by string) (string, error) {
	duration, err := time.ParseDuration(by)
	if err != nil {
		return "", err
	}
	kmsv2.SetNowFuncForTests(provider, func() time.Time { return time.Now().Add(duration) })
	return "", nil
}

func (c *controlPlane) write(ctx context.Context, server *apiServer, name string, text []byte) (string, error) {
	value, err := server.toStorage(ctx, name, text)
	if err != nil {
		return "", err
	}
	c.etcd[name] = value
	return keyID(value)
}

func (c *controlPlane) read(ctx context.Context, server *apiServer, name string) (string, error) {
	text, age, err := server.fromStorage(ctx, name, c.etcd[name])
	return fmt.Sprintf("%s %s", age, text), err
}

func (c *controlPlane) fill(ctx context.Context, server *apiServer, count string) (string, error) {
	wanted, err := strconv.Atoi(count)
	last := ""
	for i := 0; i < wanted && err == nil; i++ {
		last, err = c.write(ctx, server, fmt.Sprintf("s%d", i), fmt.Appendf(nil, "text-%d", i))
	}
	return last, err
}

func (c *controlPlane) list(ctx context.Context, server *apiServer) (string, error) {
	ages := map[age]int{}
	for name, stored := range c.etcd {
		_, age, err := server.fromStorage(ctx, name, stored)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		ages[age]++
	}
	return fmt.Sprintf("fresh=%d stale=%d", ages[fresh], ages[stale]), nil
}

func (c *controlPlane) touch(ctx context.Context, server *apiServer) (string, error) {
	written := 0
	for name, stored := range c.etcd {
		text, age, err := server.fromStorage(ctx, name, stored)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if age == fresh {
			continue
		}
		if _, err := c.write(ctx, server, name, text); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		written++
	}
	return strconv.Itoa(written), nil
}
