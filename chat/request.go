package chat

import "encoding/json"

// Request asks for one answer. Exactly one of Messages, Prompt and Tokens is set.
type Request struct {
	Model    string    // which model answers, where a service has several
	Messages []Message // a conversation, rendered by the model's own chat template
	Prompt   *string   // raw text, no template; BOS as the model file says
	Tokens   []int32   // raw token ids, nothing added

	Tools        []Tool
	TemplateArgs map[string]json.RawMessage // further variables of the template, such as enable_thinking

	MaxTokens int      // at most so many tokens are generated; 0 is until the context is full
	Stop      []string // texts that end the answer and are not part of it
	Sampling  Sampling
	Format    *Format // what the answer's text must be; nil is anything
}

// Format holds an answer to a form. Exactly one field is set.
type Format struct {
	JSON    bool            // a JSON object
	Schema  json.RawMessage // JSON that a JSON schema describes
	Grammar string          // a text of a grammar in llama.cpp's notation (GBNF)
	Regexp  string          // a text that a regular expression (RE2) matches from beginning to end
	Choices []string        // one of these texts
}

// Sampling is what the caller said about choosing tokens; what is nil is the model's or the engine's default.
// Field names and meanings are those of package sample.
type Sampling struct {
	Seed             *uint64           `json:"seed,omitempty"`
	Temperature      *float64          `json:"temperature,omitempty"`
	DynatempRange    *float64          `json:"dynatemp_range,omitempty"`
	DynatempExponent *float64          `json:"dynatemp_exponent,omitempty"`
	TopK             *int              `json:"top_k,omitempty"`
	TopP             *float64          `json:"top_p,omitempty"`
	MinP             *float64          `json:"min_p,omitempty"`
	TypicalP         *float64          `json:"typical_p,omitempty"`
	TopNSigma        *float64          `json:"top_n_sigma,omitempty"`
	RepeatPenalty    *float64          `json:"repeat_penalty,omitempty"`
	RepeatLastN      *int              `json:"repeat_last_n,omitempty"`
	PresencePenalty  *float64          `json:"presence_penalty,omitempty"`
	FrequencyPenalty *float64          `json:"frequency_penalty,omitempty"`
	DryMultiplier    *float64          `json:"dry_multiplier,omitempty"`
	DryBase          *float64          `json:"dry_base,omitempty"`
	DryAllowedLength *int              `json:"dry_allowed_length,omitempty"`
	DryPenaltyLastN  *int              `json:"dry_penalty_last_n,omitempty"`
	DryBreakers      []string          `json:"dry_sequence_breakers,omitempty"`
	XTCProbability   *float64          `json:"xtc_probability,omitempty"`
	XTCThreshold     *float64          `json:"xtc_threshold,omitempty"`
	Mirostat         *int              `json:"mirostat,omitempty"`
	MirostatTau      *float64          `json:"mirostat_tau,omitempty"`
	MirostatEta      *float64          `json:"mirostat_eta,omitempty"`
	LogitBias        map[int32]float32 `json:"logit_bias,omitempty"`
	Samplers         []string          `json:"samplers,omitempty"`
}
