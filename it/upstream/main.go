// Runs Kubernetes' own API-server code against a KMS v2 plugin, at the version that go.mod pins. It reads one command
// per line from standard input, answers each with one line, "ok ..." or "no ...", and ends with the input.
//
//	load SERVER             starts an API server that reads the EncryptionConfiguration and has no cached keys
//	write SERVER NAME TEXT  stores a secret; answers with its key_id
//	fill SERVER COUNT       stores COUNT secrets: s0 with the text text-0, and so on; answers with the last key_id
//	read SERVER NAME        answers fresh or stale, and the text
//	list SERVER             reads every secret; answers how many are fresh and stale
//	touch SERVER            writes every stale secret again, unchanged; answers how many
//	health SERVER           runs the health check of the KMS providers
//	calls SERVER            answers how often the server has called its plugin, by method
//	later DURATION          advances the clock by which seeds expire, for all servers
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: upstream ENCRYPTION-CONFIGURATION")
		os.Exit(2)
	}
	plane := &controlPlane{config: os.Args[1], servers: map[string]*apiServer{}, etcd: map[string][]byte{}}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := plane.execute(context.Background(), strings.Fields(lines.Text()))
		if err != nil {
			// Upstream's errors may have several lines.
			fmt.Println("no", strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Println(strings.TrimSpace("ok " + answer))
	}
}
