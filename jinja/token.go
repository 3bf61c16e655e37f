package jinja

import "fmt"

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenData
	tokenBlockBegin
	tokenBlockEnd
	tokenPrintBegin
	tokenPrintEnd
	tokenName
	tokenString
	tokenNumber
	tokenOperator
)

// token is one lexical unit. text is a name, an operator, or the value of data and strings.
type token struct {
	kind  tokenKind
	text  string
	value Value // of a number
	pos   int   // byte offset in the template
}

func (t token) String() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the template"
	case tokenData:
		return "template text"
	case tokenBlockBegin:
		return "'{%'"
	case tokenBlockEnd:
		return "'%}'"
	case tokenPrintBegin:
		return "'{{'"
	case tokenPrintEnd:
		return "'}}'"
	case tokenString:
		return "a string"
	case tokenNumber:
		return "a number"
	}
	return fmt.Sprintf("'%s'", t.text)
}

func (t token) is(kind tokenKind, text string) bool { return t.kind == kind && t.text == text }
