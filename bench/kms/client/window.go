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

// seedLength is what an API server sends: the seed of its data keys.
const seedLength = 32

// A bout is what one window asks of a side: one kind of call, so many at a time.
type bout struct {
	method string
	flight int
}

func (b bout) String() string {
	return fmt.Sprintf("%s, %d in flight", b.method, b.flight)
}

// A window is what a side did in one stretch of time.
type window struct {
	calls    float64 // per second
	p50, p99 float64 // microseconds
	cpu      float64 // microseconds of the server, per call
}

// caller does one call and checks what it came to.
type caller func() error

// run keeps the side busy for so long: each of the bout's callers waits for its answer and calls again.
func (s *side) run(b bout, length time.Duration) (window, error) {
	callers := make([]caller, b.flight)
	for i := range callers {
		made, err := s.caller(b.method)
		if err != nil {
			return window{}, err
		}
		callers[i] = made
	}
	before, err := s.cpu()
	if err != nil {
		return window{}, err
	}
	began := time.Now()
	laps, err := busy(callers, began.Add(length))
	took := time.Since(began)
	after, other := s.cpu()
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

// busy returns how long each call took.
func busy(callers []caller, end time.Time) ([]time.Duration, error) {
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

// caller makes one that has its own plaintext, and for Decrypt its own ciphertext.
func (s *side) caller(method string) (caller, error) {
	seed := make([]byte, seedLength)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	encrypt := &kms.EncryptRequest{Plaintext: seed, Uid: "bench"}
	sealed := &kms.EncryptResponse{}
	if err := s.call("Encrypt", encrypt, sealed); err != nil {
		return nil, err
	}
	if method == "Encrypt" {
		return func() error { return s.call("Encrypt", encrypt, &kms.EncryptResponse{}) }, nil
	}
	decrypt := &kms.DecryptRequest{Ciphertext: sealed.Ciphertext, Uid: "bench", KmsKeyId: sealed.KmsKeyId, Annotations: sealed.Annotations}
	return func() error {
		opened := &kms.DecryptResponse{}
		if err := s.call("Decrypt", decrypt, opened); err != nil {
			return err
		}
		if !bytes.Equal(opened.Plaintext, seed) {
			return errors.New("opened to something else")
		}
		return nil
	}, nil
}
