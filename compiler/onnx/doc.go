// Package onnx reads ONNX models into graph IR. Start from Open, which maps and
// decodes a file, then Model.Import, which binds shapes and constants,
// normalises every operator of opsets 7 and later to one internal form, inlines
// functions and decided conditionals, and folds what is constant.
//
// A file is data from outside: the reader walks the protobuf wire format itself,
// keeps weights as views of the mapped file, checks every count against the
// bytes that are there before it allocates, and answers any fault with an Error
// that says where. Importers are registered per ONNX operator by op_<family>.go.
//
// The package imports graph and its operators; no pass, tensor IR or backend.
package onnx
