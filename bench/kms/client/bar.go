package main

import "fmt"

// A bar is the limit that a figure has to reach, and the goal beyond it.
type bar struct {
	what        string
	seen        float64
	limit, goal float64
	atLeast     bool
}

func (r *report) bars() []bar {
	all := []bar{}
	for _, workload := range workloads {
		if workload.inFlight != 64 {
			continue
		}
		ours, theirs := r.ours.typical(workload), r.theirs.typical(workload)
		all = append(all,
			bar{workload.String() + ": calls/s, ratio", ours.calls / theirs.calls, 1.0, 1.2, true},
			bar{workload.String() + ": CPU a call, ratio", ours.cpu / theirs.cpu, 0.8, 0.5, false},
			bar{workload.String() + ": p99, ratio", ours.p99 / theirs.p99, 1.0, 0.7, false})
	}
	return append(all, bar{"resident when idle, MB", r.ours.idle, 96, 64, false})
}

func (b bar) String() string {
	sign := "<="
	if b.atLeast {
		sign = ">="
	}
	return fmt.Sprintf("%-44s %6.2f  %-7s (bar %s %g, goal %s %g)", b.what, b.seen, b.verdict(), sign, b.limit, sign, b.goal)
}

func (b bar) verdict() string {
	switch {
	case b.reaches(b.goal):
		return "goal"
	case b.reaches(b.limit):
		return "reached"
	}
	return "MISSED"
}

func (b bar) reaches(line float64) bool {
	if b.atLeast {
		return b.seen >= line
	}
	return b.seen <= line
}
