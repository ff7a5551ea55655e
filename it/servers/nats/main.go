// The nats-server that the tests start: the module's own, at the version that go.mod pins.
package main

import (
	"flag"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	flags := flag.NewFlagSet("nats-server", flag.ExitOnError)
	options, err := server.ConfigureOptions(flags, os.Args[1:], server.PrintServerAndExit, flags.Usage, flags.Usage)
	if err != nil {
		server.PrintAndDie("nats-server: " + err.Error())
	}
	if options.CheckConfig {
		return
	}
	running, err := server.NewServer(options)
	if err != nil {
		server.PrintAndDie("nats-server: " + err.Error())
	}
	running.ConfigureLogger()
	if err := server.Run(running); err != nil {
		server.PrintAndDie("nats-server: " + err.Error())
	}
	running.WaitForShutdown()
}
