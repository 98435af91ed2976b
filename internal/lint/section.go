package lint

import (
	"fmt"
	"strings"
)

// Section replaces what stands between the two marker lines of a name in a
// page, "<!-- begin NAME … -->" and "<!-- end NAME -->", and returns the page.
func Section(page, name, body string) (string, error) {
	begin, end := "<!-- begin "+name, "<!-- end "+name+" -->"
	i := strings.Index(page, begin)
	if i < 0 {
		return "", fmt.Errorf("no line %q", begin+" … -->")
	}
	n := strings.Index(page[i:], "\n")
	j := strings.Index(page[i:], end)
	if n < 0 || j < n {
		return "", fmt.Errorf("no line %q after line %q", end, begin+" … -->")
	}
	return page[:i+n+1] + strings.TrimRight(body, "\n") + "\n" + page[i+j:], nil
}
