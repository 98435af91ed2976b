package bus

import (
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"hone/internal/wire"
)

// authority decides who may connect to the broker of this process, and to
// which subjects.
type authority struct {
	coordinator string // public key

	mu     sync.Mutex
	agents map[string]admitted // by public key
}

type admitted struct {
	agent string
	perms *server.Permissions
}

func newAuthority() (*authority, []byte, error) {
	kp, err := nkeys.CreateUser()
	if err != nil {
		return nil, nil, fmt.Errorf("broker: %w", err)
	}
	pub, err := kp.PublicKey()
	if err != nil {
		return nil, nil, fmt.Errorf("broker: %w", err)
	}
	seed, err := kp.Seed()
	if err != nil {
		return nil, nil, fmt.Errorf("broker: %w", err)
	}
	return &authority{coordinator: pub, agents: map[string]admitted{}}, seed, nil
}

// admit lets an agent in with a key, instead of the one it had, which is
// returned.
func (a *authority) admit(agent, pub string, pools []string) (old string, err error) {
	if !wire.ValidAgent(agent) {
		return "", fmt.Errorf("broker: %q is no agent's name: want 1 to 32 of a-z, 0-9 and -", agent)
	}
	for _, p := range pools {
		if !wire.ValidPool(p) {
			return "", fmt.Errorf("broker: agent %s: %q is no pool", agent, p)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old = a.forget(agent)
	a.agents[pub] = admitted{agent, Permissions(agent, pools)}
	return old, nil
}

func (a *authority) revoke(agent string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forget(agent)
}

func (a *authority) forget(agent string) string {
	for pub, x := range a.agents {
		if x.agent == agent {
			delete(a.agents, pub)
			return pub
		}
	}
	return ""
}

// Check implements server.Authentication: the client must have signed the
// broker's challenge with a key that is let in.
func (a *authority) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	key, err := nkeys.FromPublicKey(o.Nkey)
	if err != nil {
		return false
	}
	sig, err := base64.RawURLEncoding.DecodeString(o.Sig)
	if err != nil {
		if sig, err = base64.StdEncoding.DecodeString(o.Sig); err != nil {
			return false
		}
	}
	if key.Verify(c.GetNonce(), sig) != nil {
		return false
	}
	if o.Nkey == a.coordinator {
		c.RegisterUser(&server.User{Username: "coordinator"})
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x, ok := a.agents[o.Nkey]
	if ok {
		c.RegisterUser(&server.User{Username: x.agent, Permissions: x.perms})
	}
	return ok
}

// Permissions are what an agent needs of a broker and no more: it pulls from
// its pools, answers under its own name, tells its own presence. A broker
// outside grants the same.
func Permissions(agent string, pools []string) *server.Permissions {
	pub := []string{"r.*." + agent + ".>", "ev." + agent + ".>", "$KV." + wire.PresenceKV + "." + agent}
	sub := []string{"_INBOX_" + agent + ".>", "ctl.all", "ctl.agent." + agent}
	for _, p := range pools {
		pub = append(pub, "$JS.API.CONSUMER.INFO."+wire.WorkStream+"."+p, "$JS.API.CONSUMER.MSG.NEXT."+wire.WorkStream+"."+p, "$JS.ACK."+wire.WorkStream+"."+p+".>")
		sub = append(sub, "ctl.pool."+p)
	}
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: pub}, Subscribe: &server.SubjectPermission{Allow: sub}}
}
