package cgen_test

import (
	"testing"

	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
)

func TestConformance(t *testing.T) { codegentest.Run(t, cgen.Backend{}) }

func TestRandomFunctions(t *testing.T) { codegentest.RunRandom(t, cgen.Backend{}, 12) }
