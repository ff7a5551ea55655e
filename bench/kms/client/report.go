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

var workloads = []workload{
	{"Encrypt", 1}, {"Encrypt", 16}, {"Encrypt", 64},
	{"Decrypt", 1}, {"Decrypt", 16}, {"Decrypt", 64},
}

// A figures holds the measurements of one plugin.
type figures struct {
	start        time.Duration
	idle, loaded float64 // resident, MB
	first        map[string]window
	windows      map[workload][]window
}

// A report compares two plugins, ours first.
type report struct {
	ours, theirs *figures
	of           map[*plugin]*figures
}

func newReport(plugins []*plugin) *report {
	of := map[*plugin]*figures{}
	for _, plugin := range plugins {
		of[plugin] = &figures{first: map[string]window{}, windows: map[workload][]window{}}
	}
	return &report{of[plugins[0]], of[plugins[1]], of}
}

// measureIdle starts a plugin, waits, and measures its resident memory.
func (r *report) measureIdle(p *plugin) error {
	took, err := p.start()
	if err != nil {
		return err
	}
	time.Sleep(settleTime)
	r.of[p].start = took
	r.of[p].idle, err = p.rss()
	p.stop()
	return err
}

// measureFirstCalls starts a plugin and sends 64 calls at a time, half of the time for each kind of call. The plugin keeps running.
func (r *report) measureFirstCalls(p *plugin) error {
	if _, err := p.start(); err != nil {
		return err
	}
	for _, method := range []string{"Encrypt", "Decrypt"} {
		seen, err := p.run(workload{method, 64}, firstTime/2)
		if err != nil {
			return err
		}
		r.of[p].first[method] = seen
	}
	return nil
}

// measureSteadyState gives both plugins the same windows in turn. The order changes from round to round.
func (r *report) measureSteadyState(plugins []*plugin) error {
	turn := slices.Clone(plugins)
	for round := range warmupRounds + rounds {
		for _, workload := range workloads {
			for _, plugin := range turn {
				seen, err := plugin.run(workload, windowTime)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", plugin.name, workload, err)
				}
				if round >= warmupRounds {
					r.of[plugin].windows[workload] = append(r.of[plugin].windows[workload], seen)
				}
			}
		}
		slices.Reverse(turn)
	}
	for _, plugin := range plugins {
		loaded, err := plugin.rss()
		if err != nil {
			return err
		}
		r.of[plugin].loaded = loaded
	}
	return nil
}

// typical returns the medians, so a short busy period of the machine does not count.
func (f *figures) typical(b workload) window {
	return f.summary(b, median, median)
}

// best returns the best windows: those with the least other load on the machine.
func (f *figures) best(b workload) window {
	return f.summary(b, slices.Max[[]float64], slices.Min[[]float64])
}

// A choice reduces several figures to one.
type choice func([]float64) float64

func (f *figures) summary(b workload, rate, cost choice) window {
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
	for _, workload := range workloads {
		row(out, workload.String(), r.ours.typical(workload), r.theirs.typical(workload))
	}
	fmt.Fprintln(out, "steady state: the best of these windows, each figure by itself")
	for _, workload := range workloads {
		row(out, workload.String(), r.ours.best(workload), r.theirs.best(workload))
	}
	fmt.Fprintf(out, "the first %s after the start\n", firstTime)
	for _, method := range []string{"Encrypt", "Decrypt"} {
		row(out, workload{method, 64}.String(), r.ours.first[method], r.theirs.first[method])
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
