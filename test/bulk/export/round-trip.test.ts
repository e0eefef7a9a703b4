// An import restores the state of an export: every type, every format, latest states and histories,
// with records that are hard to represent in a file.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import {
  type Content,
  contentOf,
  exportTo,
  formats,
  hardRecords,
  importFrom,
  makeStore,
  submit,
  withApp,
} from "./round-trip.ts";

describe("an export", async () => {
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
  after(() => removeFolder(source.folder));

  for (const [place, format] of formats.entries()) {
    for (const history of [false, true]) {
      describe(`as ${format}, ${history ? "every change" : "latest states"}`, async () => {
        const target = await makeStore();
        after(() => removeFolder(target.folder));

        // Every type in every format, and its changes in one of them.
        const types = recordTypes.filter((_, at) => !history || at % formats.length === place);
        for (const type of types) {
          it(`is imported to the same ${history ? "changes" : "states"}: ${type.resourceType}`, async () => {
            const file = await exportTo(source, { type, format, history });
            const given = exported.get(type.resourceType);
            const { rows } = await importFrom(target, type, file);
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
