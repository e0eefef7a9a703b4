// Programs that a test needs and that may not be installed.

import { spawnSync } from "node:child_process";

/** What to say where the program is not installed; false where it is. */
export function lacks(program: string): string | false {
  const { error } = spawnSync(program, ["--version"], { stdio: "ignore" });
  return error === undefined ? false : `needs ${program}`;
}
