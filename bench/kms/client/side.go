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
	// clockTick is what the kernel counts a process's CPU time in: USER_HZ, which is 100 wherever Linux runs.
	clockTick = 10 * time.Millisecond
)

// A side is one of the two plugins: a process of its own, and this client's connection to it.
type side struct {
	name, api, socket string
	command           []string
	process           *exec.Cmd
	said              bytes.Buffer
	connection        *grpc.ClientConn
}

// start ends when the plugin says that it is healthy, and tells how long that took.
func (s *side) start() (time.Duration, error) {
	began := time.Now()
	s.said.Reset()
	s.process = exec.Command(s.command[0], s.command[1:]...)
	s.process.Stdout, s.process.Stderr = &s.said, &s.said
	if err := s.process.Start(); err != nil {
		s.process = nil
		return 0, err
	}
	connection, err := grpc.NewClient("unix://"+s.socket, grpc.WithAuthority("localhost"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, err
	}
	s.connection = connection
	for time.Since(began) < startLimit {
		if s.isHealthy() {
			return time.Since(began), nil
		}
		// A connection that failed would wait longer and longer before it tries again.
		connection.ResetConnectBackoff()
		time.Sleep(5 * time.Millisecond)
	}
	return 0, fmt.Errorf("not healthy after %s: %s", startLimit, s.said.String())
}

func (s *side) isHealthy() bool {
	answer := &kms.StatusResponse{}
	return s.call("Status", &kms.StatusRequest{}, answer) == nil && answer.Healthz == "ok"
}

func (s *side) call(method string, request, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	return s.connection.Invoke(ctx, "/"+s.api+".KeyManagementService/"+method, request, answer)
}

// stop ends only the process that start began.
func (s *side) stop() {
	if s.process == nil {
		return
	}
	_ = s.connection.Close()
	_ = s.process.Process.Signal(syscall.SIGTERM)
	force := time.AfterFunc(stopLimit, func() { _ = s.process.Process.Kill() })
	_ = s.process.Wait()
	force.Stop()
	s.process = nil
}

// cpu is the time that the process has had on a core so far.
func (s *side) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	// What follows the name, which may hold spaces: the 14th and 15th field of the line are utime and stime.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, other := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err, other)
}

// rss is the memory that the process has resident, in MB.
func (s *side) rss() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
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
