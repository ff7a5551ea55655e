// The judge of KMS v2 plugins: Kubernetes' own API-server code, at the version that go.mod pins, told what to do by
// lines on standard input. It answers each with one line, "ok ..." or "no ...", and ends when no more lines come.
//
//	load SERVER             a new API server reads the EncryptionConfiguration, and knows nothing yet
//	write SERVER NAME TEXT  a secret is stored; answers with its key_id
//	fill SERVER COUNT       so many secrets are: s0 with the text text-0, and so on; answers with the last one's key_id
//	read SERVER NAME        answers fresh or stale, and the text
//	list SERVER             reads every secret; answers how many are fresh and stale
//	touch SERVER            updates that change nothing: what is stale is written again; answers how many were
//	health SERVER           the health check of its KMS providers
//	calls SERVER            how often it has called its plugin, by method
//	later DURATION          the clock by which seeds expire goes forward, for all
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
	court := &court{config: os.Args[1], servers: map[string]*apiServer{}, etcd: map[string][]byte{}}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := court.hear(context.Background(), strings.Fields(lines.Text()))
		if err != nil {
			// One line, whatever upstream's error looks like.
			fmt.Println("no", strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Println(strings.TrimSpace("ok " + answer))
	}
}
