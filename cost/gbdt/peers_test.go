package gbdt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hone/internal/peer"
)

// peerSet is a synthetic problem for the comparison with LightGBM and XGBoost.
type peerSet struct {
	Name  string `json:"name"`
	Width int    `json:"width"`
	f     func(x []float64) float64
	noise float64
	miss  float64 // share of missing values in the first four columns
}

// peerSets returns thirty problems: ten functions without, with some and with
// many missing values.
func peerSets() []peerSet {
	functions := []struct {
		name  string
		noise float64
		f     func(x []float64) float64
	}{
		{"linear", 0.3, func(x []float64) float64 { return 2*x[1] + x[2] - 0.1*x[0] }},
		{"friedman", 0.5, func(x []float64) float64 {
			return 10*math.Sin(math.Pi*x[1]*x[5]) + 20*(x[9]-0.5)*(x[9]-0.5) + 5*x[2]
		}},
		{"steps", 0.2, func(x []float64) float64 { return math.Floor(x[0]/3) + math.Floor(3*x[1]) }},
		{"product", 0.1, func(x []float64) float64 { return math.Tanh(x[2]) * math.Tanh(x[6]) * (1 + x[1]) }},
		{"counts", 0.2, func(x []float64) float64 { return math.Log1p(x[3]) + math.Log1p(x[7]*x[0]) }},
		{"ratio", 0.1, func(x []float64) float64 { return (1 + x[0]) / (1 + x[4]) }},
		{"xor", 0.3, func(x []float64) float64 { return math.Copysign(1, x[2]) * math.Copysign(1, x[6]-0.2) }},
		{"peak", 0.05, func(x []float64) float64 { return math.Exp(-x[2]*x[2] - x[6]*x[6]) }},
		{"roofline", 0.1, func(x []float64) float64 { return math.Min(x[0]*0.4, 2*x[1]+0.2*x[4]) }},
		{"noisy", 2, func(x []float64) float64 { return x[1] + x[5] + 0.2*x[8] }},
	}
	var sets []peerSet
	for _, fn := range functions {
		for i, miss := range []float64{0, 0.05, 0.3} {
			sets = append(sets, peerSet{fmt.Sprintf("%s/missing%v", fn.name, miss), 12 + 4*i, fn.f, fn.noise, miss})
		}
	}
	return sets
}

func (s *peerSet) draw(n int, seed uint64) (x, y []float64) {
	r := rand.New(rand.NewPCG(seed, 77))
	for range n {
		row, _ := tuningData(1, max(s.Width, 14), r.Uint64(), false)
		row = row[:s.Width]
		y = append(y, s.f(row)+s.noise*r.NormFloat64())
		for j := range 4 {
			if r.Float64() < s.miss {
				row[j] = math.NaN()
			}
		}
		x = append(x, row...)
	}
	return x, y
}

// TestPeers trains the same problems (ten of the thirty, all with HONE_TEST_ALL)
// here, in LightGBM and in XGBoost. On each, the error on fresh rows must be within 3 % and the rank correlation
// within 0.01 of the weaker peer (the two differ by more than that from each
// other on such small sets); over all of them the mean must be within 1 % and
// 0.003 of each peer. LightGBM must read our files and predict the same.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	python := peer.Python(t, "numpy", "lightgbm", "xgboost")
	dir := t.TempDir()
	sets, wholeError := peerSets(), 1.01
	if os.Getenv("HONE_TEST_ALL") == "" { // one problem a function
		for k := range 10 {
			sets[k] = sets[3*k+k%3]
		}
		sets, wholeError = sets[:10], 1.015
	}
	p := DefaultParams()
	p.Trees = 40
	truth, own := make([][]float64, len(sets)), make([][]float64, len(sets))
	for k, s := range sets {
		x, y := s.draw(2500, uint64(2*k))
		testX, testY := s.draw(3000, uint64(2*k+1))
		m := mustTrain(t, mustDataset(t, x, s.Width, MaxBins), mustSquared(t, y), p)
		truth[k], own[k] = testY, predictAll(m, testX)
		writeFloats(t, dir, k, "trainx", x)
		writeFloats(t, dir, k, "trainy", y)
		writeFloats(t, dir, k, "testx", testX)
		var text bytes.Buffer
		if err := m.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		writeFile(t, dir, k, "model", text.Bytes())
	}
	list, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sets.json"), list, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "testdata/peers.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("peers.py: %v\n%s", err, out)
	}
	logRatio, rankGap := map[string]float64{}, map[string]float64{}
	for k, s := range sets {
		t.Run(s.Name, func(t *testing.T) { comparePeers(t, dir, k, truth[k], own[k], logRatio, rankGap) })
	}
	for _, peer := range peerNames {
		ratio, gap := math.Exp(logRatio[peer]/float64(len(sets))), rankGap[peer]/float64(len(sets))
		t.Logf("%s: error %.4f times the peer's, rank correlation %+.4f", peer, ratio, gap)
		if ratio > wholeError || gap < -0.003 {
			t.Errorf("worse than %s on the whole", peer)
		}
	}
}

var peerNames = []string{"lgb", "xgb"}

func comparePeers(t *testing.T, dir string, k int, truth, own []float64, logRatio, rankGap map[string]float64) {
	loaded := readFloats(t, dir, k, "loaded")
	for i := range own {
		if math.Abs(loaded[i]-own[i]) > 1e-12*math.Max(1, math.Abs(own[i])) {
			t.Fatalf("row %d: LightGBM predicts %v from our file, we predict %v", i, loaded[i], own[i])
		}
	}
	e, s := rmse(own, truth), spearman(own, truth)
	worstError, worstRank := 0.0, 1.0
	for _, peer := range peerNames {
		pred := readFloats(t, dir, k, peer)
		pe, ps := rmse(pred, truth), spearman(pred, truth)
		t.Logf("%s: rmse %.4f against %.4f (%+.1f %%), spearman %.4f against %.4f", peer, e, pe, 100*(e/pe-1), s, ps)
		worstError, worstRank = max(worstError, pe), min(worstRank, ps)
		logRatio[peer] += math.Log(e / pe)
		rankGap[peer] += s - ps
	}
	if e > 1.03*worstError || s < worstRank-0.01 {
		t.Errorf("rmse %.4f, the weaker peer has %.4f; spearman %.4f, it has %.4f", e, worstError, s, worstRank)
	}
}

func writeFloats(t *testing.T, dir string, k int, kind string, v []float64) {
	t.Helper()
	b := make([]byte, 0, 8*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	writeFile(t, dir, k, kind, b)
}

func writeFile(t *testing.T, dir string, k int, kind string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", k, kind)), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFloats(t *testing.T, dir string, k int, kind string) []float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.%s", k, kind)))
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}
