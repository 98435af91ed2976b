package wire

// Presence is what an agent keeps under its id in the presence bucket while it lives: put
// anew every PresenceEvery, gone PresenceTTL after the last time.
type Presence struct {
	V       int      `json:"v"`
	Agent   string   `json:"agent"`
	Pools   []string `json:"pools"`          // that it takes items from: of its device, of its compilers
	Device  string   `json:"device"`         // what it measures on, for people
	State   string   `json:"state"`          // AgentIdle, AgentBusy or AgentDraining
	Work    string   `json:"work,omitempty"` // in hand
	Boot    string   `json:"boot"`
	BuildID string   `json:"build_id"`
	Read    [2]int   `json:"read"`     // message versions it reads, oldest and newest
	Protos  [2]int   `json:"protocol"` // measuring protocols it follows, oldest and newest
	Lacks   []string `json:"sandbox_lacks,omitempty"`
	Load1   float64  `json:"load1"`
	TempC   float64  `json:"temp_c,omitempty"`
	Suspect string   `json:"suspect,omitempty"`
}

// States of an agent.
const (
	AgentIdle     = "idle"
	AgentBusy     = "busy"
	AgentDraining = "draining"
)

// Presence timing in seconds, and the bucket's name.
const (
	PresenceEvery = 5
	PresenceTTL   = 15
)

// Control is a command to agents on their control subjects. It may be lost: nothing
// depends on it but speed.
type Control struct {
	V   int    `json:"v"`
	Cmd string `json:"cmd"`           // CtlCancel, CtlDrain, CtlUndrain
	Job string `json:"job,omitempty"` // of a cancel
}

// The commands.
const (
	CtlCancel  = "cancel" // stop what is done for Job
	CtlDrain   = "drain"  // finish what is in hand, take nothing more
	CtlUndrain = "undrain"
)

// Started is the event (EventSubject(agent, "started")) an agent sends when it begins an
// item. Ack is the broker's acknowledgement subject: after the agent's connection broke,
// the coordinator may negatively acknowledge the item there, to have it delivered again at
// once.
type Started struct {
	V       int    `json:"v"`
	Work    string `json:"work"`
	Attempt int    `json:"attempt"`
	Ack     string `json:"ack"`
}
