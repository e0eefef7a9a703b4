// The built program, as packages and images contain it; `npm run bench` builds it first.

import { join } from "node:path";

export const program = join(import.meta.dirname, "../dist/src/cli/main.js");
