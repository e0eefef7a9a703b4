// Telemetry loads the packages of OpenTelemetry only where traces are exported.

import assert from "node:assert/strict";
import { it } from "node:test";
import { findLoaded } from "../../../repository/rule/loaded.ts";
import { parseFiles } from "../../../repository/syntax.ts";
import { readFiles } from "../../../repository/tree.ts";

it("no file but the one that a configured export imports at run time loads its packages", () => {
  const files = parseFiles(readFiles("src/feature/telemetry/*.ts"));
  const packagesOf = (name: string) =>
    findLoaded(files, `src/feature/telemetry/${name}.ts`).packages;
  assert.deepEqual(packagesOf("serving"), []);
  assert.deepEqual(packagesOf("feature"), []);
  assert.ok(packagesOf("open-telemetry").includes("@opentelemetry/sdk-trace"));
});
