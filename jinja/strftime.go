package jinja

import (
	"fmt"
	"strings"
	"time"
)

// strftime formats the time of the rendering as C does. A "-" behind the percent sign drops leading zeros.
func (r *run) strftime(format string) string {
	w := &writer{run: r}
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || at == len(format)-1 {
			w.add(format)
			return w.String()
		}
		w.add(format[:at])
		format = format[at+1:]
		bare := strings.HasPrefix(format, "-") && len(format) > 1
		if bare {
			format = format[1:]
		}
		n := runeLen(format)
		out := directive(r.now, format[:n])
		if bare {
			if out = strings.TrimLeft(out, "0 "); out == "" {
				out = "0"
			}
		}
		w.add(out)
		format = format[n:]
	}
}

// layouts are the directives that Go's time package formats.
var layouts = map[string]string{
	"Y": "2006", "m": "01", "d": "02", "H": "15", "M": "04", "S": "05", "y": "06", "I": "03", "p": "PM", "j": "002",
	"B": "January", "b": "Jan", "h": "Jan", "A": "Monday", "a": "Mon", "e": "_2",
	"F": "2006-01-02", "T": "15:04:05", "R": "15:04", "D": "01/02/06",
	"c": "Mon Jan _2 15:04:05 2006", "x": "01/02/06", "X": "15:04:05", "r": "03:04:05 PM",
}

// directive is one directive's text. As in the C locale; times are naive, so the zone is empty; unknown ones stay.
func directive(t time.Time, id string) string {
	if layout, ok := layouts[id]; ok {
		return t.Format(layout)
	}
	year, week := t.ISOWeek()
	day := int(t.Weekday())
	switch id {
	case "f":
		return fmt.Sprintf("%06d", t.Nanosecond()/1000)
	case "C":
		return fmt.Sprintf("%02d", t.Year()/100)
	case "G":
		return fmt.Sprint(year)
	case "V":
		return fmt.Sprintf("%02d", week)
	case "U":
		return fmt.Sprintf("%02d", (t.YearDay()+6-day)/7)
	case "W":
		return fmt.Sprintf("%02d", (t.YearDay()+6-(day+6)%7)/7)
	case "w":
		return fmt.Sprint(day)
	case "u":
		return fmt.Sprint((day+6)%7 + 1)
	case "s":
		return fmt.Sprint(t.Unix())
	case "k":
		return fmt.Sprintf("%2d", t.Hour())
	case "l":
		return fmt.Sprintf("%2d", (t.Hour()+11)%12+1)
	case "n":
		return "\n"
	case "t":
		return "\t"
	case "%":
		return "%"
	case "z", "Z":
		return ""
	}
	return "%" + id
}
