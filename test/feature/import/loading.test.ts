// Only the command loads the library that reads Parquet, which allocates what a file says of itself.

import assert from "node:assert/strict";
import { it } from "node:test";
import { findLoaded } from "../../repository/rule/loaded.ts";
import { parseFiles } from "../../repository/syntax.ts";
import { readFiles } from "../../repository/tree.ts";

it("never reads Parquet in a process or a thread that serves, whatever that imports later", () => {
  const files = parseFiles(readFiles("src/**/*.ts"));
  const threads = files.map(({ path }) => path).filter((path) => path.endsWith("-thread.ts"));
  assert.ok(threads.length > 4);
  const commands = /^src\/feature\/[^/]+\/commands\.ts$/;
  const packagesOf = (entry: string, but?: RegExp) =>
    findLoaded(files, entry, { later: true, ...(but && { but }) }).packages;
  for (const entry of ["src/process/serve.ts", ...threads]) {
    assert.ok(!packagesOf(entry, commands).includes("hyparquet"), entry);
  }
  assert.ok(packagesOf("src/feature/import/commands.ts").includes("hyparquet"));
});
