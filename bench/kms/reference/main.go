// The peer of our KMS plugin: the key hierarchy of the last Kubernetes release that had one, behind Kubernetes' own
// gRPC server, over a remote that is one AES-GCM key in memory. It speaks v2alpha1, which has the messages of v2. The
// gRPC library is the client's, not the one of that release: it is faster, and the comparison uses the peer at its best.
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/kms/pkg/hierarchy"
	"k8s.io/kms/pkg/service"
)

const connectionTimeout = 5 * time.Second

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: reference SOCKET")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	remote, err := newRemote()
	if err != nil {
		log.Fatal(err)
	}
	server := service.NewGRPCService(os.Args[1], connectionTimeout, hierarchy.NewLocalKEKService(ctx, remote))
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// A remote wraps local KEKs. It is idle after the first one.
type remote struct {
	aead cipher.AEAD
}

func newRemote() (*remote, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &remote{aead}, err
}

func (r *remote) Status(context.Context) (*service.StatusResponse, error) {
	return &service.StatusResponse{Version: "v2alpha1", Healthz: "ok", KeyID: "remote-1"}, nil
}

func (r *remote) Encrypt(_ context.Context, _ string, plaintext []byte) (*service.EncryptResponse, error) {
	nonce := make([]byte, r.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return &service.EncryptResponse{Ciphertext: r.aead.Seal(nonce, nonce, plaintext, nil), KeyID: "remote-1"}, nil
}

func (r *remote) Decrypt(_ context.Context, _ string, request *service.DecryptRequest) ([]byte, error) {
	size := r.aead.NonceSize()
	if len(request.Ciphertext) < size {
		return nil, os.ErrInvalid
	}
	return r.aead.Open(nil, request.Ciphertext[:size], request.Ciphertext[size:], nil)
}
