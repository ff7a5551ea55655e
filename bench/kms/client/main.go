// Measures two KMS plugins side by side with one client: ours, and Kubernetes' own with a key hierarchy. Both run at
// the same time and get the same calls in turn, so that whatever else the machine does meets both alike.
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
	ours := &side{name: "ours", api: "v2", socket: filepath.Join(folder, "ours", "kms.sock")}
	ours.command = []string{os.Args[2], "kms-plugin", "--listen", "unix://" + ours.socket}
	reference := &side{name: "reference", api: "v2alpha1", socket: filepath.Join(folder, "reference.sock")}
	reference.command = []string{os.Args[3], reference.socket}
	if err := measure([]*side{ours, reference}); err != nil {
		log.Fatal(err)
	}
}

// measure is the whole run: two starts of each, then windows in turn.
func measure(sides []*side) error {
	defer func() {
		for _, side := range sides {
			side.stop()
		}
	}()
	report := newReport(sides)
	for _, side := range sides {
		if err := report.idle(side); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	for _, side := range sides {
		if err := report.first(side); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	if err := report.steady(sides); err != nil {
		return err
	}
	report.print(os.Stdout)
	return nil
}
