// What shared tests have to know about proofs.

import type { Samples } from "../sample.ts";

const forAnybody = "needs nothing but what the service publishes";

export const samples: Samples = {
  commands: { "receipt verify": { forAnybody }, "audit verify": { forAnybody } },
  withoutRight: { "proof/verify-upload listCopies": "checks the right inside" },
};
