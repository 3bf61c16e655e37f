package bench

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// WriteChart writes an SVG chart of median speed against context depth, with the slowest and fastest run as a bar: one
// panel for prefill, decode and mixtures each, one line for each model, test and number of threads.
func WriteChart(w io.Writer, records []Record) error {
	panels := panelsOf(records)
	if len(panels) == 0 {
		return fmt.Errorf("bench: found no results to draw")
	}
	s := &svg{}
	height := 0
	for _, p := range panels {
		height += p.height()
	}
	s.open(chartWidth, height)
	top := 0
	for _, p := range panels {
		p.draw(s, top)
		top += p.height()
	}
	s.add("</svg>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

// Sizes in pixels.
const (
	chartWidth = 720
	plotLeft   = 72
	plotRight  = chartWidth - 24
	plotTop    = 48
	plotHeight = 240
	axisHeight = 52
	lineHeight = 20 // of the legend
)

// point is the speed at a depth.
type point struct {
	depth            int
	median, min, max float64
}

type series struct {
	name   string
	points []point
}

// panel is one pair of axes.
type panel struct {
	title  string
	series []series
}

func (p *panel) height() int { return plotTop + plotHeight + axisHeight + lineHeight*len(p.series) + 8 }

// panelsOf sorts records into panels and series, in the order in which they first come.
func panelsOf(records []Record) []panel {
	all := []panel{{title: "Prefill"}, {title: "Decode"}, {title: "Prefill and decode"}}
	name := seriesName(records)
	for i := range records {
		r := &records[i]
		p := &all[0]
		switch {
		case r.Prompt == 0:
			p = &all[1]
		case r.Gen > 0:
			p = &all[2]
		}
		p.add(name(r), point{r.Depth, r.SamplesTS.Median(), r.SamplesTS.Min(), r.SamplesTS.Max()})
	}
	return slices.DeleteFunc(all, func(p panel) bool { return len(p.series) == 0 })
}

func (p *panel) add(name string, at point) {
	i := slices.IndexFunc(p.series, func(s series) bool { return s.name == name })
	if i < 0 {
		i, p.series = len(p.series), append(p.series, series{name: name})
	}
	points := append(p.series[i].points, at)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.depth, b.depth) })
	p.series[i].points = points
}

// seriesName names what tells series apart; batch and KV type only where they differ.
func seriesName(records []Record) func(*Record) string {
	differs := func(what func(*Record) any) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return what(&r) != what(&records[0]) })
	}
	batches := differs(func(r *Record) any { return r.Batch })
	types := differs(func(r *Record) any { return r.TypeK })
	return func(r *Record) string {
		t := r.Test()
		t.Depth = 0
		name := fmt.Sprintf("%s, %s, %d threads", r.Model(), t.Name(), r.Threads)
		if r.Threads == 1 {
			name = strings.TrimSuffix(name, "s")
		}
		if batches {
			name += fmt.Sprintf(", batch %d", r.Batch)
		}
		if types {
			name += ", KV " + r.TypeK
		}
		return name
	}
}

// axis maps values to pixels.
type axis struct {
	from, to int // pixels of 0 and of last
	last     float64
	step     float64 // between ticks
}

// newAxis has about five ticks, at round numbers.
func newAxis(largest float64, from, to int) axis {
	step := roundStep(max(largest, 1e-9) / 5)
	return axis{from, to, step * max(math.Ceil(largest/step), 1), step}
}

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is not below x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func (a axis) at(v float64) float64 { return float64(a.from) + float64(a.to-a.from)*v/a.last }

func (a axis) ticks() []float64 {
	var out []float64
	for i := 0; float64(i)*a.step <= a.last*(1+1e-9); i++ {
		out = append(out, float64(i)*a.step)
	}
	return out
}

func (p *panel) draw(s *svg, top int) {
	var deepest, fastest float64
	for _, line := range p.series {
		for _, at := range line.points {
			deepest, fastest = max(deepest, float64(at.depth)), max(fastest, at.max)
		}
	}
	bottom := top + plotTop + plotHeight
	x, y := axis{from: plotLeft, to: plotRight - 16, last: max(deepest, 1)}, newAxis(fastest, bottom, top+plotTop)
	s.text(plotLeft, float64(top+28), "title", "start", p.title)
	s.text(plotLeft-8, float64(top+plotTop-8), "label", "end", "tokens/s")
	for _, v := range y.ticks() {
		s.line(plotLeft, y.at(v), plotRight, y.at(v), "grid")
		s.text(plotLeft-8, y.at(v)+4, "label", "end", number(v))
	}
	for _, v := range p.depthTicks(x) {
		s.line(x.at(v), float64(bottom), x.at(v), float64(bottom+5), "axis")
		s.text(x.at(v), float64(bottom+20), "label", "middle", number(v))
	}
	s.line(plotLeft, float64(bottom), plotRight, float64(bottom), "axis")
	s.text((plotLeft+plotRight)/2, float64(bottom+40), "label", "middle", "context depth, tokens")
	for i, line := range p.series {
		line.draw(s, x, y, i)
		at := float64(bottom + axisHeight + lineHeight*i + 8)
		s.line(plotLeft, at, plotLeft+24, at, seriesClass(i))
		s.marker(plotLeft+12, at, i)
		s.text(plotLeft+32, at+4, "label", "start", line.name)
	}
}

// depthTicks are the depths that were measured, as far as their numbers have room.
func (p *panel) depthTicks(x axis) []float64 {
	var depths []float64
	for _, line := range p.series {
		for _, at := range line.points {
			depths = append(depths, float64(at.depth))
		}
	}
	slices.Sort(depths)
	var out []float64
	for _, d := range depths {
		if len(out) == 0 || x.at(d)-x.at(out[len(out)-1]) >= 40 {
			out = append(out, d)
		}
	}
	return out
}

func (l *series) draw(s *svg, x, y axis, index int) {
	var path []string
	for _, p := range l.points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(float64(p.depth)), y.at(p.median)))
	}
	s.add(`<polyline class=%q points=%q/>`+"\n", seriesClass(index), strings.Join(path, " "))
	for _, p := range l.points {
		px := x.at(float64(p.depth))
		s.line(px, y.at(p.min), px, y.at(p.max), seriesClass(index)+" thin")
		s.marker(px, y.at(p.median), index)
	}
}

// number writes a tick without digits that say nothing.
func number(v float64) string { return fmt.Sprintf("%.6g", v) }

// colours of the series, told apart by readers who see fewer too, in light and in dark; after the last, dashes.
var colours = []struct{ light, dark string }{
	{"#0060a8", "#5ab4f0"}, {"#c05000", "#ff9f50"}, {"#007a55", "#4fd0a5"},
	{"#a8337f", "#f08cc8"}, {"#6a5d00", "#e0cf3c"}, {"#555555", "#bbbbbb"},
}

func seriesClass(i int) string {
	class := fmt.Sprintf("line s%d", i%len(colours))
	if i >= len(colours) {
		class += " dashed"
	}
	return class
}

// svg is a document that grows.
type svg struct{ strings.Builder }

func (s *svg) add(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// open writes the head. A page in dark colours gets a chart in dark colours.
func (s *svg) open(width, height int) {
	s.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="speed against context depth">`+"\n<style>\n", width, height, width, height)
	s.theme("#ffffff", "#1c1c1c", "#505050", "#dcdcdc", func(i int) string { return colours[i].light })
	s.add(".title{font:600 16px sans-serif}.label{font:12px sans-serif}.grid,.axis{stroke-width:1}\n" +
		".line{fill:none;stroke-width:2}.thin{stroke-width:1}.dashed{stroke-dasharray:6 3}\n@media (prefers-color-scheme:dark){\n")
	s.theme("#161616", "#f0f0f0", "#b4b4b4", "#3a3a3a", func(i int) string { return colours[i].dark })
	s.add("}\n</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", width, height)
}

func (s *svg) theme(paper, title, label, grid string, colour func(int) string) {
	s.add(".paper{fill:%s}.title{fill:%s}.label{fill:%s}.grid{stroke:%s}.axis{stroke:%s}\n", paper, title, label, grid, label)
	for i := range colours {
		s.add(".s%d{stroke:%s}.m%d{fill:%s}\n", i, colour(i), i, colour(i))
	}
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	s.add(`<line class=%q x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (s *svg) marker(x, y float64, series int) {
	s.add(`<circle class="m%d" cx="%.1f" cy="%.1f" r="3.5"/>`+"\n", series%len(colours), x, y)
}

func (s *svg) text(x, y float64, class, anchor, what string) {
	s.add(`<text class=%q x="%.1f" y="%.1f" text-anchor=%q>`, class, x, y, anchor)
	_ = xml.EscapeText(s, []byte(what)) // a Builder takes everything
	s.add("</text>\n")
}
