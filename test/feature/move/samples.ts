// What shared tests have to know about moving a store.

import { requireRightOf } from "../../../src/actions/operator/operators.ts";
import { rights } from "../../../src/feature/move/rows.ts";
import type { Samples } from "../sample.ts";

export const samples: Samples = {
  commands: { move: { incomparable: "moves the whole store" } },
  // Moving needs a store that is not in service; test/cli/every-right.test.ts moves one.
  rights: { "store.move": (app) => requireRightOf(app, app.operator, rights["store.move"]) },
};
