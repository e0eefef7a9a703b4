// The files of the Python and the Go client that are generated (npm run docs). A test compares each with what is there.

import { renderGoCodes, renderGoCollections } from "./go.ts";
import { renderGoTypes } from "./go-types.ts";
import { renderPythonCodes, renderPythonCollections, renderPythonTypes } from "./python.ts";

const python = "clients/python/src/sluice";

export const otherClientFiles = [
  { path: `${python}/types.py`, render: renderPythonTypes },
  { path: `${python}/codes.py`, render: renderPythonCodes },
  { path: `${python}/_collections.py`, render: renderPythonCollections },
  { path: "clients/go/types.go", render: renderGoTypes },
  { path: "clients/go/codes.go", render: renderGoCodes },
  { path: "clients/go/collections.go", render: renderGoCollections },
];
