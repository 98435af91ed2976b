package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// clusterBucket keeps, under clusterKey, which database the broker serves.
const clusterBucket, clusterKey = "hone", "cluster"

// Claim implements scheduler.Bus.
func (b *Bus) Claim(ctx context.Context, cluster string) error {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	kv, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: clusterBucket, Storage: jetstream.FileStorage, History: 1,
		MaxBytes: 1 << 20, Replicas: b.cfg.Replicas})
	if err != nil {
		return fmt.Errorf("broker %s: %w", brokerName(b.cfg), err)
	}
	_, err = kv.Create(ctx, clusterKey, []byte(cluster))
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	e, err := kv.Get(ctx, clusterKey)
	if err != nil {
		return fmt.Errorf("broker %s: %w", brokerName(b.cfg), err)
	}
	if got := string(e.Value()); got != cluster {
		return fmt.Errorf("broker %s: it serves another database (cluster %s, this database is of %s): choose another broker with --nats", brokerName(b.cfg), got, cluster)
	}
	return nil
}
