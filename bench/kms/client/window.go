package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	kms "k8s.io/kms/apis/v2"
)

// seedLength is the size of the plaintext that an API server sends: the seed of its data keys.
const seedLength = 32

// A workload is one kind of call, with this many calls in flight.
type workload struct {
	method   string
	inFlight int
}

func (b workload) String() string {
	return fmt.Sprintf("%s, %d in flight", b.method, b.inFlight)
}

// A window holds the figures of a plugin over one period.
type window struct {
	calls    float64 // per second
	p50, p99 float64 // microseconds
	cpu      float64 // microseconds of the server, per call
}

// A caller does one call and checks the result.
type caller func() error

// run keeps the plugin busy for this long: each caller of the workload waits for its answer and calls again.
func (p *plugin) run(b workload, length time.Duration) (window, error) {
	callers := make([]caller, b.inFlight)
	for i := range callers {
		made, err := p.caller(b.method)
		if err != nil {
			return window{}, err
		}
		callers[i] = made
	}
	before, err := p.cpu()
	if err != nil {
		return window{}, err
	}
	began := time.Now()
	laps, err := runCallers(callers, began.Add(length))
	took := time.Since(began)
	after, other := p.cpu()
	if err := errors.Join(err, other); err != nil {
		return window{}, err
	}
	slices.Sort(laps)
	count := float64(len(laps))
	return window{
		calls: count / took.Seconds(),
		p50:   micros(laps[len(laps)/2]),
		p99:   micros(laps[len(laps)*99/100]),
		cpu:   micros(after-before) / count,
	}, nil
}

func micros(d time.Duration) float64 {
	return float64(d) / float64(time.Microsecond)
}

// runCallers lets each caller call again until the end, and returns how long each call took.
func runCallers(callers []caller, end time.Time) ([]time.Duration, error) {
	laps := make([][]time.Duration, len(callers))
	failures := make([]error, len(callers))
	var all sync.WaitGroup
	for i, call := range callers {
		all.Go(func() {
			for now := time.Now(); now.Before(end) && failures[i] == nil; {
				failures[i] = call()
				done := time.Now()
				laps[i] = append(laps[i], done.Sub(now))
				now = done
			}
		})
	}
	all.Wait()
	return slices.Concat(laps...), errors.Join(failures...)
}

// caller makes a caller with its own plaintext, and for Decrypt its own ciphertext.
func (p *plugin) caller(method string) (caller, error) {
	seed := make([]byte, seedLength)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	encrypt := &kms.EncryptRequest{Plaintext: seed, Uid: "bench"}
	sealed := &kms.EncryptResponse{}
	if err := p.call("Encrypt", encrypt, sealed); err != nil {
		return nil, err
	}
	if method == "Encrypt" {
		return func() error { return p.call("Encrypt", encrypt, &kms.EncryptResponse{}) }, nil
	}
	decrypt := &kms.DecryptRequest{Ciphertext: sealed.Ciphertext, Uid: "bench", KeyId: sealed.KeyId, Annotations: sealed.Annotations}
	return func() error {
		opened := &kms.DecryptResponse{}
		if err := p.call("Decrypt", decrypt, opened); err != nil {
			return err
		}
		if !bytes.Equal(opened.Plaintext, seed) {
			return errors.New("decrypted to other bytes")
		}
		return nil
	}, nil
}
