// What shared tests have to know about proofs.

import type { Samples } from "../sample.ts";

export const samples: Samples = {
  withoutRight: { "proof/verify-upload listCopies": "checks the right inside" },
};
