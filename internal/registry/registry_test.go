package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestRegistry(t *testing.T) {
	r := New[int]("fruit")
	r.Add("pear", 2)
	if got := r.Add("apple", 1); got != 1 {
		t.Errorf("Add returned %d", got)
	}
	if v, err := r.Lookup("pear"); err != nil || v != 2 {
		t.Errorf("pear: %d, %v", v, err)
	}
	if _, err := r.Lookup("fig"); err == nil || !strings.Contains(err.Error(), `unknown fruit "fig" (known: apple, pear)`) {
		t.Errorf("fig: %v", err)
	}
	if !slices.Equal(r.Names(), []string{"apple", "pear"}) || !slices.Equal(r.All(), []int{1, 2}) {
		t.Errorf("order: %v %v", r.Names(), r.All())
	}
	defer func() {
		if recover() == nil {
			t.Error("a duplicate was accepted")
		}
	}()
	r.Add("pear", 3)
}
