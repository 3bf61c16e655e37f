// Package jinja runs the chat templates that models carry: the Jinja language with Python's semantics, as
// jinja2's immutable sandbox with trim_blocks, lstrip_blocks, loop controls and Hugging Face's additions runs it.
//
// A template is a program from a model file, so it is treated as hostile. It reads its arguments and nothing else: no
// files, no clock beyond the time it is given, no attributes of the host's objects. Every rendering is bounded in
// steps, output, memory and depth, and stops when its context does. Values cannot be changed once made; only a
// namespace that the template creates itself can be assigned to.
//
// Deviations from Python, all on purpose:
//   - Integers are 64 bits wide. Wider ones from JSON keep their digits and can be compared and printed; arithmetic that
//     overflows is an error.
//   - Results of map, select and their like are computed at once, though consumed once like Python's generators.
//   - A variable of the caller is seen in a scope up to where that scope assigns to its name. jinja2 sometimes hides it
//     there from the start: when a scope's first mention of the name is the assignment.
//   - No include, import, extends, autoescape, and none of the filters random, pprint, urlize and
//     wordwrap.
package jinja
