package lint

import (
	"encoding/json"
	"fmt"
	"sort"
)

// Requirements lists the modules that go.mod below root requires directly,
// sorted.
func Requirements(root string) ([]string, error) {
	out, err := run(root, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, fmt.Errorf("output of go mod edit: %w", err)
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	sort.Strings(direct)
	return direct, nil
}
