package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"
	kmstypes "k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2/v2"
	"k8s.io/kms/pkg/service"
)

const prefix = "k8s:enc:kms:v2:" + provider + ":"

// An age says whether a stored value is stale, so that an update without a change would write it again.
type age string

const (
	fresh age = "fresh"
	stale age = "stale"
)

// An apiServer is the part of kube-apiserver between a resource and etcd, for one start of the process.
type apiServer struct {
	secrets value.Transformer
	checks  []healthz.HealthChecker
	calls   *calls
	stop    context.CancelFunc
}

func start(ctx context.Context, config, name string) (*apiServer, error) {
	ctx, stop := context.WithCancel(ctx)
	calls := &calls{}
	dial := encryptionconfig.EnvelopeKMSv2ServiceFactory
	defer func() { encryptionconfig.EnvelopeKMSv2ServiceFactory = dial }()
	encryptionconfig.EnvelopeKMSv2ServiceFactory = func(ctx context.Context, endpoint, provider string, timeout time.Duration) (service.Service, error) {
		plugin, err := dial(ctx, endpoint, provider, timeout)
		return &counted{plugin, calls}, err
	}
	loaded, err := encryptionconfig.LoadEncryptionConfig(ctx, config, true, name)
	if err != nil {
		stop()
		return nil, err
	}
	secrets := encryptionconfig.StaticTransformers(loaded.Transformers).TransformerForResource(schema.GroupResource{Resource: "secrets"})
	return &apiServer{secrets, loaded.HealthChecks, calls, stop}, nil
}

func (s *apiServer) toStorage(ctx context.Context, name string, text []byte) ([]byte, error) {
	return s.secrets.TransformToStorage(ctx, text, path(name))
}

func (s *apiServer) fromStorage(ctx context.Context, name string, stored []byte) ([]byte, age, error) {
	text, old, err := s.secrets.TransformFromStorage(ctx, stored, path(name))
	if old {
		return text, stale, err
	}
	return text, fresh, err
}

// path is the etcd key, to which a value is bound.
func path(name string) value.Context {
	return value.DefaultContext("/registry/secrets/default/" + name)
}

func (s *apiServer) health(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return err
	}
	for _, check := range s.checks {
		if err := check.Check(request); err != nil {
			return err
		}
	}
	return nil
}

// keyID reads the key_id, which is stored in clear text.
func keyID(stored []byte) (string, error) {
	object := &kmstypes.EncryptedObject{}
	bare, ok := bytes.CutPrefix(stored, []byte(prefix))
	if !ok {
		return "", fmt.Errorf("stored without %s", prefix)
	}
	err := proto.Unmarshal(bare, object)
	return object.KeyID, err
}

// calls counts the calls of an API server to its plugin, answered or not.
type calls struct {
	status, encrypt, decrypt atomic.Int64
}

func (c *calls) String() string {
	return fmt.Sprintf("status=%d encrypt=%d decrypt=%d", c.status.Load(), c.encrypt.Load(), c.decrypt.Load())
}

// counted wraps upstream's own client and counts its calls.
type counted struct {
	plugin service.Service
	calls  *calls
}

func (c *counted) Status(ctx context.Context) (*service.StatusResponse, error) {
	c.calls.status.Add(1)
	return c.plugin.Status(ctx)
}

func (c *counted) Encrypt(ctx context.Context, uid string, data []byte) (*service.EncryptResponse, error) {
	c.calls.encrypt.Add(1)
	return c.plugin.Encrypt(ctx, uid, data)
}

func (c *counted) Decrypt(ctx context.Context, uid string, request *service.DecryptRequest) ([]byte, error) {
	c.calls.decrypt.Add(1)
	return c.plugin.Decrypt(ctx, uid, request)
}
