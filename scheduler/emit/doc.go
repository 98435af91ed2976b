// Package emit turns schedules into what agents run: a unit of source with one
// entry per schedule, the operands to fill and what right outputs are. It is the
// last place that knows tensor IR on the way to a work item; agents never do.
// Start from Unit and Operands. It imports the compiler and wire only.
package emit
