package gbdt

import (
	"sync"
	"sync/atomic"
)

// parallel calls the function that worker returns once for each i in [0, n),
// spread over the configured number of goroutines; worker is called once a
// goroutine and may allocate scratch space. Calls for different i must not
// depend on each other.
func (p *Params) parallel(n int, worker func() func(i int)) {
	threads := min(p.threads(), n)
	if threads <= 1 {
		do := worker()
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			do := worker()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
