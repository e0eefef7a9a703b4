// Features that follow an organization share nothing that shared tests have to know.

import type { Samples } from "../sample.ts";

export const samples: Samples = {};
