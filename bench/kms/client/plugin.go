package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	kms "k8s.io/kms/apis/v2"
)

const (
	startLimit = 60 * time.Second
	stopLimit  = 10 * time.Second
	callLimit  = 10 * time.Second
	// clockTick is the unit of a process's CPU time in the kernel: USER_HZ, which is 100 on every Linux.
	clockTick = 10 * time.Millisecond
)

// A plugin is one of the two measured plugins: its process, and this client's connection to it.
type plugin struct {
	name, api, socket string
	command           []string
	process           *exec.Cmd
	output            bytes.Buffer
	connection        *grpc.ClientConn
}

// start returns when the plugin reports that it is healthy, with the time that this took.
func (p *plugin) start() (time.Duration, error) {
	began := time.Now()
	p.output.Reset()
	p.process = exec.Command(p.command[0], p.command[1:]...)
	p.process.Stdout, p.process.Stderr = &p.output, &p.output
	if err := p.process.Start(); err != nil {
		p.process = nil
		return 0, err
	}
	connection, err := grpc.NewClient("unix://"+p.socket, grpc.WithAuthority("localhost"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, err
	}
	p.connection = connection
	for time.Since(began) < startLimit {
		if p.isHealthy() {
			return time.Since(began), nil
		}
		// Otherwise a failed connection waits longer before each new try.
		connection.ResetConnectBackoff()
		time.Sleep(5 * time.Millisecond)
	}
	return 0, fmt.Errorf("not healthy after %s: %s", startLimit, p.output.String())
}

func (p *plugin) isHealthy() bool {
	answer := &kms.StatusResponse{}
	return p.call("Status", &kms.StatusRequest{}, answer) == nil && answer.Healthz == "ok"
}

func (p *plugin) call(method string, request, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	return p.connection.Invoke(ctx, "/"+p.api+".KeyManagementService/"+method, request, answer)
}

// stop ends only the process that start has started.
func (p *plugin) stop() {
	if p.process == nil {
		return
	}
	_ = p.connection.Close()
	_ = p.process.Process.Signal(syscall.SIGTERM)
	force := time.AfterFunc(stopLimit, func() { _ = p.process.Process.Kill() })
	_ = p.process.Wait()
	force.Stop()
	p.process = nil
}

// cpu returns the CPU time that the process has used so far.
func (p *plugin) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The fields after the name, which may contain spaces: the 14th and 15th field of the line are utime and stime.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, other := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err, other)
}

// rss returns the resident memory of the process, in MB.
func (p *plugin) rss() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, errors.New("no VmRSS")
}
