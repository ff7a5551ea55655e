package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

const (
	settleTime   = 5 * time.Second
	firstTime    = 10 * time.Second
	windowTime   = time.Second
	warmupRounds = 2
	rounds       = 8
)

var bouts = []bout{
	{"Encrypt", 1}, {"Encrypt", 16}, {"Encrypt", 64},
	{"Decrypt", 1}, {"Decrypt", 16}, {"Decrypt", 64},
}

// A figures is what was seen of one side.
type figures struct {
	start        time.Duration
	idle, loaded float64 // resident, MB
	first        map[string]window
	windows      map[bout][]window
}

// A report puts two sides beside each other, ours first.
type report struct {
	ours, theirs *figures
	of           map[*side]*figures
}

func newReport(sides []*side) *report {
	of := map[*side]*figures{}
	for _, side := range sides {
		of[side] = &figures{first: map[string]window{}, windows: map[bout][]window{}}
	}
	return &report{of[sides[0]], of[sides[1]], of}
}

// idle starts a side, leaves it alone for a while, and takes its size.
func (r *report) idle(s *side) error {
	took, err := s.start()
	if err != nil {
		return err
	}
	time.Sleep(settleTime)
	r.of[s].start = took
	r.of[s].idle, err = s.rss()
	s.stop()
	return err
}

// first starts a side and gives it everything at once, half of the time for each kind of call. It stays.
func (r *report) first(s *side) error {
	if _, err := s.start(); err != nil {
		return err
	}
	for _, method := range []string{"Encrypt", "Decrypt"} {
		seen, err := s.run(bout{method, 64}, firstTime/2)
		if err != nil {
			return err
		}
		r.of[s].first[method] = seen
	}
	return nil
}

// steady gives both the same windows in turn. Who is first changes from round to round.
func (r *report) steady(sides []*side) error {
	turn := slices.Clone(sides)
	for round := range warmupRounds + rounds {
		for _, bout := range bouts {
			for _, side := range turn {
				seen, err := side.run(bout, windowTime)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", side.name, bout, err)
				}
				if round >= warmupRounds {
					r.of[side].windows[bout] = append(r.of[side].windows[bout], seen)
				}
			}
		}
		slices.Reverse(turn)
	}
	for _, side := range sides {
		loaded, err := side.rss()
		if err != nil {
			return err
		}
		r.of[side].loaded = loaded
	}
	return nil
}

// typical has the medians: no single stretch of a busy machine counts.
func (f *figures) typical(b bout) window {
	return f.summary(b, median, median)
}

// best is what the machine allowed when it did least else.
func (f *figures) best(b bout) window {
	return f.summary(b, slices.Max[[]float64], slices.Min[[]float64])
}

// A choice takes one of several figures, or makes one of them.
type choice func([]float64) float64

func (f *figures) summary(b bout, rate, cost choice) window {
	all := func(of func(window) float64) []float64 {
		seen := make([]float64, 0, rounds)
		for _, one := range f.windows[b] {
			seen = append(seen, of(one))
		}
		return seen
	}
	return window{
		calls: rate(all(func(w window) float64 { return w.calls })),
		p50:   cost(all(func(w window) float64 { return w.p50 })),
		p99:   cost(all(func(w window) float64 { return w.p99 })),
		cpu:   cost(all(func(w window) float64 { return w.cpu })),
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func (r *report) print(out io.Writer) {
	fmt.Fprintf(out, "KMS plugin with key hierarchy, %d bytes, unix socket: ours / Go reference (ratio)\n", seedLength)
	fmt.Fprintf(out, "steady state: medians of %d windows of %s, in turn\n", rounds, windowTime)
	for _, bout := range bouts {
		row(out, bout.String(), r.ours.typical(bout), r.theirs.typical(bout))
	}
	fmt.Fprintln(out, "steady state: the best of these windows, each figure by itself")
	for _, bout := range bouts {
		row(out, bout.String(), r.ours.best(bout), r.theirs.best(bout))
	}
	fmt.Fprintf(out, "the first %s after the start\n", firstTime)
	for _, method := range []string{"Encrypt", "Decrypt"} {
		row(out, bout{method, 64}.String(), r.ours.first[method], r.theirs.first[method])
	}
	fmt.Fprintln(out, "the process")
	fmt.Fprintf(out, "  %-22s ms   %6.0f / %6.0f\n", "start to healthy", r.ours.start.Seconds()*1e3, r.theirs.start.Seconds()*1e3)
	fmt.Fprintf(out, "  %-22s MB   %6.1f / %6.1f\n", "resident, idle", r.ours.idle, r.theirs.idle)
	fmt.Fprintf(out, "  %-22s MB   %6.1f / %6.1f\n", "resident, after load", r.ours.loaded, r.theirs.loaded)
	fmt.Fprintln(out, "bars, by the medians")
	for _, bar := range r.bars() {
		fmt.Fprintln(out, "  "+bar.String())
	}
}

func row(out io.Writer, name string, ours, theirs window) {
	fmt.Fprintf(out, "  %-22s calls/s %6.0f / %6.0f (%.2f)   p50 %5.0f / %5.0f (%.2f)   p99 %5.0f / %5.0f us (%.2f)   CPU %5.1f / %5.1f us a call (%.2f)\n",
		name, ours.calls, theirs.calls, ours.calls/theirs.calls, ours.p50, theirs.p50, ours.p50/theirs.p50,
		ours.p99, theirs.p99, ours.p99/theirs.p99, ours.cpu, theirs.cpu, ours.cpu/theirs.cpu)
}
