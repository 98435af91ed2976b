package schedule_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
)

func TestZZDiff(t *testing.T) {
	raw, err := os.ReadFile(os.Getenv("ZZ"))
	if err != nil {
		t.Skip(err)
	}
	var cases []struct {
		Title, Func, Script, Text string
		OK, Broken                bool
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	agree, bad := 0, 0
	for _, c := range cases {
		if c.Broken {
			fmt.Printf("BROKEN %s: %s\n", c.Title, c.Text)
			bad++
			continue
		}
		m, err := tvmscript.Parse("f.py", c.Func)
		if err != nil {
			fmt.Printf("PARSE %s: %v\n", c.Title, err)
			bad++
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Printf("PANIC %s: %v\n%s", c.Title, r, c.Script)
					bad++
				}
			}()
			s := schedule.New(m, nil)
			if os.Getenv("ZZP") != "" {
				s.AllowNonlinearEpilogues()
			}
			err := script.Run(s, "", c.Script)
			ok := err == nil
			text := ""
			if ok {
				text = printed(s.Module())
			} else {
				text = err.Error()
				if !schedule.IsRefusal(err) {
					text = "NOREFUSAL " + text
				}
			}
			switch {
			case ok != c.OK:
				bad++
				fmt.Printf("OUTCOME %s\n%s  hone: %s\n  TVM:  %s\n", c.Title, c.Script, text, c.Text)
			case ok && text != c.Text:
				bad++
				fmt.Printf("TEXT %s\n%s\n--- hone\n%s\n--- TVM\n%s\n", c.Title, c.Script, text, c.Text)
			case !ok:
				agree++
				if os.Getenv("ZZV") != "" {
					fmt.Printf("refused %s:\n   %s\n   %s\n", c.Title, text, c.Text)
				}
				before := schedule.New(m, nil)
				if err := trace.Of(s).Replay(before, trace.Options{}); err != nil || printed(before.Module()) != printed(s.Module()) {
					fmt.Printf("CHANGED %s %v\n", c.Title, err)
				}
			default:
				agree++
				if os.Getenv("ZZP") == "" {
					checkRoundTrip(t, c.Title, m, s)
				}
				if os.Getenv("ZZI") != "" {
					checkSame(t, c.Title, m, s.Module())
				}
			}
		}()
	}
	fmt.Printf("agree %d, bad %d\n", agree, bad)
}
