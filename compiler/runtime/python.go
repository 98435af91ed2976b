package runtime

import _ "embed"

// PythonLoader is hone_model.py, a loader in one file for Python and numpy.
//
//go:embed python/hone_model.py
var PythonLoader string
