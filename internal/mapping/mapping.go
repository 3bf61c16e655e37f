// Package mapping maps files into memory for reading, where the system can.
//
//   - Available says whether it can.
//   - Map maps the first bytes of a file. It is shared, so that every process which runs a model has one copy of it. A
//     file that shrinks faults: read it inside tensor.Guard.
//   - Rest gives whole pages back until they are read again.
//   - Bring has all pages present before they are read, in as large pieces as the system has.
//
// Rest and Bring are wishes: what goes wrong costs memory or time only.
package mapping
