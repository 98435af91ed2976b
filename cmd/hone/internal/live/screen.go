package live

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"hone/api"
)

// closed is the body of an event of that kind, zero when it cannot be read.
func closed(e api.Event) (b api.TrialClosed) {
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return api.TrialClosed{}
	}
	return b
}

// Screen shows progress as a table that is redrawn in place. The terminal stays
// as it is: no alternate screen, no raw input, so an interrupt reaches the
// command as a signal.
type Screen struct {
	prog *tea.Program
	done chan error
}

// NewScreen starts to show p, which belongs to the screen from then on.
func NewScreen(w io.Writer, p *Progress) *Screen { return newScreen(w, p) }

func newScreen(w io.Writer, p *Progress, more ...tea.ProgramOption) *Screen {
	opts := append([]tea.ProgramOption{tea.WithOutput(w), tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithFPS(10)}, more...)
	m := &screen{p: p, start: time.Now(), width: 100, height: 40}
	s := &Screen{prog: tea.NewProgram(m, opts...), done: make(chan error, 1)}
	go func() {
		_, err := s.prog.Run()
		s.done <- err
	}()
	return s
}

// Event shows one event.
func (s *Screen) Event(e api.Event) error {
	s.prog.Send(e)
	return nil
}

// Note prints a line above the table.
func (s *Screen) Note(line string) { s.prog.Println(line) }

// Close leaves the last table on the terminal.
func (s *Screen) Close() error {
	s.prog.Send(quit{})
	if err := <-s.done; err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

type (
	quit struct{}
	tick struct{}
)

// screen is the model of the terminal's program.
type screen struct {
	p             *Progress
	start         time.Time
	elapsed       time.Duration
	width, height int
}

func ticking() tea.Cmd {
	return tea.Tick(500*time.Millisecond, func(time.Time) tea.Msg { return tick{} })
}

// Init implements tea.Model.
func (s *screen) Init() tea.Cmd { return ticking() }

// Update implements tea.Model.
func (s *screen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	s.elapsed = time.Since(s.start)
	switch m := m.(type) {
	case api.Event:
		if _, err := s.p.Apply(m); err != nil {
			return s, tea.Println(err.Error())
		}
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case tick:
		return s, ticking()
	case quit:
		return s, tea.Quit
	}
	return s, nil
}

// View implements tea.Model.
func (s *screen) View() tea.View {
	v := tea.NewView(Table(s.p, s.width, s.height, s.elapsed))
	v.DisableBracketedPasteMode = true // nothing is read
	return v
}
