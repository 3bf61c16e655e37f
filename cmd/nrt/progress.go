package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar is a progress bar on stderr, where that is a terminal; elsewhere it draws nothing. It goes when it is complete.
func (a *app) bar(total int64, what string, opts ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(a.err),
		progressbar.OptionSetVisibility(isTerminal(a.err)),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionClearOnFinish(),
	}, opts...)...)
}
