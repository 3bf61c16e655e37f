package conversation

import (
	"context"
	"fmt"
	"time"

	"github.com/nrt-go/nrt/cmd/nrt/internal/params"
	"github.com/nrt-go/nrt/cmd/nrt/internal/plain"
)

func (c *Conversation) show(_ context.Context, what string) error {
	switch what {
	case "", "model", "info":
		if err := c.cfg.Model.Describe(c.cfg.Out); err != nil || what != "" {
			return err
		}
		fmt.Fprintln(c.cfg.Out)
		if err := c.showSystem(); err != nil {
			return err
		}
		return c.showParameters()
	case "parameters", "params":
		return c.showParameters()
	case "system":
		return c.showSystem()
	case "template":
		fmt.Fprintln(c.cfg.Out, plain.Text(c.cfg.Model.Template))
		return nil
	}
	return fmt.Errorf("/show: found %q, wanted model, parameters, system or template", what)
}

func (c *Conversation) showSystem() error {
	if c.System == "" {
		c.notef("[no system prompt is set; the model's template may add one]")
		return nil
	}
	fmt.Fprintln(c.cfg.Out, plain.Text(c.System))
	return nil
}

func (c *Conversation) showParameters() error {
	for i := range params.Table {
		fmt.Fprintln(c.cfg.Out, plain.Line(c.line(&params.Table[i])))
	}
	return nil
}

func (c *Conversation) line(p *params.Param) string {
	value, ok := p.Get(&c.Settings)
	if !ok {
		value = params.Unset
		if usual := p.Default(); usual != "" {
			value += " (" + usual + ")"
		}
	}
	return fmt.Sprintf("  %-22s %s", p.Name, value)
}

func (c *Conversation) history(context.Context, string) error {
	if c.System != "" {
		fmt.Fprintf(c.cfg.Out, "system: %s\n", plain.Text(c.System))
	}
	for _, m := range c.Messages {
		fmt.Fprintf(c.cfg.Out, "%s: %s\n", m.Role, plain.Text(m.Content))
	}
	return nil
}

func (c *Conversation) stats(context.Context, string) error {
	t, w := &c.total, c.cfg.Out
	fmt.Fprintf(w, "  answers    %d\n", t.answers)
	fmt.Fprintf(w, "  prompts    %d tokens, %d of them from the cache (%s)\n", t.prompt, t.cached, percent(t.cached, t.prompt))
	fmt.Fprintf(w, "  prefill    %s tokens/s\n", speed(t.prompt-t.cached, t.prefill))
	fmt.Fprintf(w, "  generated  %d tokens, %s tokens/s\n", t.generated, speed(t.generated-t.answers, t.decode))
	fmt.Fprintf(w, "  context    %d of %d tokens (%s)\n", c.used(), c.cfg.Model.Context, percent(c.used(), c.cfg.Model.Context))
	if c.last != nil {
		fmt.Fprintf(w, "  last seed  %d\n", c.last.Seed)
	}
	return nil
}

func percent(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

func speed(n int, d time.Duration) string {
	if n <= 0 || d <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(n)/d.Seconds())
}
