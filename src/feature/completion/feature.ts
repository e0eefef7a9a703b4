// The completion of command lines by shells; see README.md.

import type { Feature } from "../feature.ts";

export const completion: Feature = { name: "completion", commands: () => import("./commands.ts") };
