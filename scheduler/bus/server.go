package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"hone/db/store"
)

// Server is a broker inside this process, on a random port of the loopback
// interface. Whoever may send it work items may run code on this machine, so
// it lets in only keys that it was told of: the coordinator's, and those that
// Enroll makes for agents, all of this run.
type Server struct {
	srv    *server.Server
	auth   *authority
	seed   []byte // the coordinator's
	limits Limits
}

// ServerConfig changes how a broker is started.
type ServerConfig struct {
	// Dir holds the broker's state; it is emptied first, since SQL is truth.
	Dir string
	// Keep leaves what a broker before kept there.
	Keep bool
	// Host to listen on; empty: 127.0.0.1. Port 0 is a random one.
	Host string
	Port int
}

// Start starts a broker. Its streams may take 5 % of the free disk, at most
// what the design says.
func Start(cfg ServerConfig) (*Server, error) {
	dir := filepath.Join(cfg.Dir, "broker")
	if !cfg.Keep {
		if err := os.RemoveAll(dir); err != nil {
			return nil, fmt.Errorf("broker: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	limits, err := limitsFor(dir)
	if err != nil {
		return nil, err
	}
	auth, seed, err := newAuthority()
	if err != nil {
		return nil, err
	}
	host, port := cfg.Host, cfg.Port
	if host == "" {
		host = "127.0.0.1"
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	srv, err := server.NewServer(&server.Options{ServerName: "hone", Host: host, Port: port, NoSigs: true, NoLog: true,
		MaxPayload: 1 << 20, MaxConn: 20_000, PingInterval: 10 * time.Second, MaxPingsOut: 3, WriteDeadline: 10 * time.Second,
		JetStream: true, StoreDir: dir, SyncInterval: 10 * time.Second,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: limits.Work + limits.Results + 2<<20,
		CustomClientAuthentication: auth, AlwaysEnableNonce: true})
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		srv.Shutdown()
		return nil, errors.New("broker: it did not start within 10 s")
	}
	return &Server{srv: srv, auth: auth, seed: seed, limits: limits}, nil
}

// leastStream is the least that a stream can work with.
const leastStream = 16 << 20

// limitsFor shares out the disk under dir.
func limitsFor(dir string) (Limits, error) {
	free, err := freeBytes(dir)
	if err != nil {
		return Limits{}, fmt.Errorf("broker: %s: %w", dir, err)
	}
	share := int64(min(free/20, 1<<40))
	l := Limits{Work: min(Design.Work, share), Results: min(Design.Results, share)}
	if share < leastStream {
		return l, fmt.Errorf("broker: %s: %w: %d MiB free, %d MiB needed", dir, store.ErrFull, free>>20, 20*leastStream>>20)
	}
	return l, nil
}

// URL is where agents of this machine connect.
func (s *Server) URL() string { return s.srv.ClientURL() }

// Credentials let one agent in.
type Credentials struct {
	URL  string
	Seed []byte // of its nkey
}

// Enroll makes a key for an agent and says which pools it may take items from.
// Enrolling again gives a new key, and the old one is no good any more.
func (s *Server) Enroll(agent string, pools ...string) (Credentials, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return Credentials{}, fmt.Errorf("broker: key for agent %s: %w", agent, err)
	}
	seed, err := kp.Seed()
	if err != nil {
		return Credentials{}, fmt.Errorf("broker: key for agent %s: %w", agent, err)
	}
	if err := s.Admit(agent, kp, pools...); err != nil {
		return Credentials{}, err
	}
	return Credentials{URL: s.URL(), Seed: seed}, nil
}

// Admit lets in an agent that has its own key.
func (s *Server) Admit(agent string, key nkeys.KeyPair, pools ...string) error {
	pub, err := key.PublicKey()
	if err != nil {
		return fmt.Errorf("broker: key of agent %s: %w", agent, err)
	}
	old, err := s.auth.admit(agent, pub, pools)
	if err != nil {
		return err
	}
	return s.cut(old)
}

// Revoke shuts an agent out, at once.
func (s *Server) Revoke(agent string) error { return s.cut(s.auth.revoke(agent)) }

// cut disconnects whoever came in with a key.
func (s *Server) cut(pub string) error {
	if pub == "" {
		return nil
	}
	conns, err := s.srv.Connz(&server.ConnzOptions{Username: true, Limit: 1 << 20})
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	for _, c := range conns.Conns {
		if c.AuthorizedUser == pub {
			if err := s.srv.DisconnectClientByID(c.Cid); err != nil {
				return fmt.Errorf("broker: %w", err)
			}
		}
	}
	return nil
}

// Stop ends the broker.
func (s *Server) Stop() {
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
}
