// Measures two KMS plugins side by side with one client: ours, and Kubernetes' own with a key hierarchy. Both run at
// the same time and get the same calls in turn, so other load on the machine affects both alike.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: client FOLDER KEYFLEET REFERENCE")
	}
	folder := os.Args[1]
	ours := &plugin{name: "ours", api: "v2", socket: filepath.Join(folder, "ours", "kms.sock")}
	ours.command = []string{os.Args[2], "kms-plugin", "--listen", "unix://" + ours.socket}
	reference := &plugin{name: "reference", api: "v2alpha1", socket: filepath.Join(folder, "reference.sock")}
	reference.command = []string{os.Args[3], reference.socket}
	if err := measure([]*plugin{ours, reference}); err != nil {
		log.Fatal(err)
	}
}

// measure runs everything: two starts of each plugin, then windows in turn.
func measure(plugins []*plugin) error {
	defer func() {
		for _, plugin := range plugins {
			plugin.stop()
		}
	}()
	report := newReport(plugins)
	for _, plugin := range plugins {
		if err := report.measureIdle(plugin); err != nil {
			return fmt.Errorf("%s: %w", plugin.name, err)
		}
	}
	for _, plugin := range plugins {
		if err := report.measureFirstCalls(plugin); err != nil {
			return fmt.Errorf("%s: %w", plugin.name, err)
		}
	}
	if err := report.measureSteadyState(plugins); err != nil {
		return err
	}
	report.print(os.Stdout)
	return nil
}
