package bus

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hone/internal/wire"
)

// Limits bound what the streams may hold, in bytes.
type Limits struct {
	Work, Results int64
}

// Design is the size that a fleet of thousands of devices needs.
var Design = Limits{Work: 2 << 30, Results: 8 << 30}

// minVersion is the oldest broker that has what is used here.
var minVersion = [2]int{2, 12}

func (b *Bus) setUp(ctx context.Context) error {
	if err := checkVersion(b.nc.ConnectedServerVersion()); err != nil {
		return err
	}
	js, err := jetstream.New(b.nc)
	if err != nil {
		return err
	}
	b.js = js
	ctx, cancel := context.WithTimeout(ctx, 3*call)
	defer cancel()
	if b.tasks, err = js.CreateOrUpdateStream(ctx, workStream(b.cfg)); err != nil {
		return fmt.Errorf("stream %s: %w", wire.WorkStream, err)
	}
	if b.results, err = js.CreateOrUpdateStream(ctx, resultStream(b.cfg)); err != nil {
		return fmt.Errorf("stream %s: %w", wire.ResultStream, err)
	}
	if b.presence, err = watchPresence(ctx, js, b.cfg.PresenceTTL, b.cfg.Log); err != nil {
		return err
	}
	return b.openInbox(ctx)
}

// checkVersion refuses brokers that are too old.
func checkVersion(v string) error {
	parts := strings.SplitN(v, ".", 3)
	if len(parts) >= 2 {
		major, e1 := strconv.Atoi(parts[0])
		minor, e2 := strconv.Atoi(parts[1])
		if e1 == nil && e2 == nil && (major > minVersion[0] || major == minVersion[0] && minor >= minVersion[1]) {
			return nil
		}
	}
	return fmt.Errorf("it has version %s, version %d.%d or later is needed", v, minVersion[0], minVersion[1])
}

// workStream holds the items: one an address, gone when acknowledged.
func workStream(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: wire.WorkStream, Subjects: []string{wire.WorkSubjects}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Replicas: cfg.Replicas, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgs: 200_000, MaxBytes: cfg.Limits.Work,
		MaxMsgSize: wire.MaxWorkBytes, MaxConsumers: 20_000, Duplicates: 2 * time.Minute, AllowDirect: true, Compression: jetstream.S2Compression}
}

// resultStream is the inbox. When it is full agents keep their items and wait.
func resultStream(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: wire.ResultStream, Subjects: []string{wire.ResultSubjects}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		Replicas: cfg.Replicas, Discard: jetstream.DiscardNew, MaxBytes: cfg.Limits.Results, MaxMsgSize: wire.MaxResultBytes, Duplicates: 10 * time.Minute, AllowDirect: true}
}

// poolConsumer is the queue of one pool. Agents pull one item at a time: the
// broker refuses to let one hoard.
func poolConsumer(pool string, ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{Durable: pool, FilterSubject: wire.PoolFilter(pool), AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxDeliver: -1, MaxAckPending: 4096, MaxWaiting: 4096, MaxRequestBatch: 1, MaxRequestExpires: 2 * time.Minute}
}

// shardConsumer is one part of the inbox.
func shardConsumer(shard int) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{Durable: fmt.Sprint("res-", shard), FilterSubject: wire.ShardFilter(shard), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Minute, MaxDeliver: -1, MaxAckPending: 1000}
}
