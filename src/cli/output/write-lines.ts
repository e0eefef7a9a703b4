// Writes values as NDJSON, a line each, as fast as the reader takes them and no faster.

import { once } from "node:events";
import type { Output } from "../command.ts";

export async function writeLines(out: Output, values: readonly unknown[]): Promise<void> {
  if (values.length === 0) return;
  const taken = out.write(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  if (taken === false && out instanceof process.stdout.constructor) {
    await once(process.stdout, "drain");
  }
}
