// An import restores the state of an export: every type, every format, latest states and histories,
// with records that are hard to represent in a file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { recordTypes } from "../../../src/domain/record-types.ts";
import type { RecordType } from "../../../src/domain/record-type.ts";
import type { CommandLine } from "../../cli/command-line.ts";
import { lacks } from "../samples.ts";
import { importing, report } from "./importing.ts";
import {
  type Content,
  contentOf,
  exportTo,
  formats,
  hardRecords,
  makeStore,
  submit,
  withApp,
} from "../../support/round-trip.ts";

async function importFrom(to: CommandLine, type: RecordType, file: string) {
  const words = importing(file, type.resourceType, "--connections", "2");
  const { refused, refused_file: path, rows } = await report(to, ...words);
  if (refused > 0) assert.fail(readFileSync(path ?? "", "utf8").slice(0, 2_000));
  return rows;
}

describe("an export", { skip: lacks("export") }, async () => {
  const exported = new Map<string, Content>();
  const source = await makeStore();
  await withApp(source, async (app) => {
    for (const [index, type] of recordTypes.entries()) {
      await Promise.all(hardRecords(type, index + 1).map((one) => submit(app, type, one)));
    }
  });
  for (const type of recordTypes) {
    exported.set(type.resourceType, await contentOf(source, type));
  }

  for (const [place, format] of formats.entries()) {
    for (const history of [false, true]) {
      describe(`as ${format}, ${history ? "every change" : "latest states"}`, async () => {
        const target = await makeStore();

        // Every type in every format, and its changes in one of them.
        const types = recordTypes.filter((_, at) => !history || at % formats.length === place);
        for (const type of types) {
          it(`is imported to the same ${history ? "changes" : "states"}: ${type.resourceType}`, async () => {
            const file = await exportTo(source, { type, format, history });
            const given = exported.get(type.resourceType);
            const rows = await importFrom(target, type, file);
            const taken = await contentOf(target, type);
            assert.ok(given !== undefined && given.states.size > 60);
            assert.deepEqual(taken.states, given.states);
            if (!history) assert.equal(rows, given.states.size);
            else assert.deepEqual(taken.payloads, given.payloads);
          });
        }
      });
    }
  }
});
