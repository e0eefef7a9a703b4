// The group of this name in groups.ts, which is one process.

import { runTogether } from "./run-together.ts";

await runTogether("features");
