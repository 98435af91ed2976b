package wire

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Shards is the number of result inboxes.
const Shards = 16

// Stream names and the subjects they bind.
const (
	WorkStream     = "TASKS"
	WorkSubjects   = "t.>"
	ResultStream   = "RESULTS"
	ResultSubjects = "r.>"
	PresenceKV     = "presence"
)

// Shard is the result inbox of a job, in [0, Shards).
func Shard(job string) int {
	h := fnv.New32a()
	h.Write([]byte(job))
	return int(h.Sum32() % Shards)
}

// WorkSubject is t.<pool>.<job>.<work>.<attempt>: the attempt is part of the subject, so
// that a refused duplicate always means "this attempt is already there".
func WorkSubject(pool, job, work string, attempt int) string {
	return fmt.Sprintf("t.%s.%s.%s.%d", pool, job, work, attempt)
}

// WorkMsgID is <work>.<attempt>, the broker's message id of a work item.
func WorkMsgID(work string, attempt int) string { return fmt.Sprintf("%s.%d", work, attempt) }

// ResultSubject is r.<shard>.<agent>.<work>.<attempt>.
func ResultSubject(shard int, agent, work string, attempt int) string {
	return fmt.Sprintf("r.%d.%s.%s.%d", shard, agent, work, attempt)
}

// ResultMsgID is <work>.<attempt>.<agent>, the broker's message id of a result.
func ResultMsgID(work string, attempt int, agent string) string {
	return fmt.Sprintf("%s.%d.%s", work, attempt, agent)
}

// PoolFilter selects the work of one pool.
func PoolFilter(pool string) string { return "t." + pool + ".>" }

// JobFilter selects one job's work in every pool (cancelling purges it).
func JobFilter(job string) string { return "t.*." + job + ".>" }

// ShardFilter selects the results of one inbox.
func ShardFilter(shard int) string { return fmt.Sprintf("r.%d.>", shard) }

// ControlSubjects are the subjects on which an agent of a pool listens for control.
func ControlSubjects(pool, agent string) []string {
	return []string{"ctl.all", "ctl.pool." + pool, "ctl.agent." + agent}
}

// EventSubject is ev.<agent>.<event>: core messages that may be lost.
func EventSubject(agent, event string) string { return "ev." + agent + "." + event }

// ParseWorkSubject takes a work subject apart.
func ParseWorkSubject(s string) (pool, job, work string, attempt int, err error) {
	p := strings.Split(s, ".")
	if len(p) == 5 && p[0] == "t" {
		if attempt, err = strconv.Atoi(p[4]); err == nil && attempt > 0 {
			return p[1], p[2], p[3], attempt, nil
		}
	}
	return "", "", "", 0, fmt.Errorf("work subject %q: want t.<pool>.<job>.<work>.<attempt>", s)
}

// ParseResultSubject takes a result subject apart.
func ParseResultSubject(s string) (shard int, agent, work string, attempt int, err error) {
	p := strings.Split(s, ".")
	if len(p) == 5 && p[0] == "r" {
		var e1, e2 error
		shard, e1 = strconv.Atoi(p[1])
		attempt, e2 = strconv.Atoi(p[4])
		if e1 == nil && e2 == nil && shard >= 0 && shard < Shards && attempt > 0 {
			return shard, p[2], p[3], attempt, nil
		}
	}
	return 0, "", "", 0, fmt.Errorf("result subject %q: want r.<shard>.<agent>.<work>.<attempt>", s)
}
