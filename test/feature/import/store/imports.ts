// Imports that run and have ended; the same on every engine.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
  importKeptMs,
  type ImportReport,
  type NewImportRun,
} from "../../../../src/feature/import/store/import-run.ts";
import { importRuns } from "../../../../src/feature/import/store/part.ts";
import { type Engine, useSite } from "../../../conformance/engine.ts";
import { acme, operator as act, organization, other } from "../../../conformance/scene.ts";

function run(importId: string, organizationId: string, startedAt: number): NewImportRun {
  const by = { startedAt, startedBy: "anna" };
  return { importId, organizationId, resourceType: "person", source: "console", ...by };
}

const none = { rows: 0, written: 0, unchanged: 0, refused: 0 };

export function testImports(engine: Engine): void {
  describe(`${engine.name}: imports`, () => {
    const site = useSite(engine);
    const imports = () => site().store.of(importRuns);
    const first = run("imp_1", acme, act.now);
    const second = run("imp_2", other, act.now + 1);
    const readFirst = async () => {
      const found = (await imports().listImports(9)).find(({ importId }) => importId === "imp_1");
      return [found?.rows, found?.written, found?.unchanged, found?.refused, found?.outcome];
    };
    before(async () => {
      const { store } = site();
      for (const id of [acme, other]) await store.createOrganization(organization(id), act);
      await imports().beginImport(first);
      await imports().beginImport(second);
    });

    it("are listed newest first, and run until they report an outcome", async () => {
      const running = { ...none, outcome: undefined };
      assert.deepEqual(await imports().listImports(9), [
        { ...second, ...running, updatedAt: second.startedAt },
        { ...first, ...running, updatedAt: first.startedAt },
      ]);
      assert.equal((await imports().listImports(1)).length, 1);
    });

    it("report their progress until they have ended, each in its organization", async () => {
      const ids = { importId: "imp_1", organizationId: acme };
      const report = (more: Partial<ImportReport>) =>
        imports().reportImport({ ...ids, ...none, updatedAt: act.now + 5, ...more });
      await report({ rows: 4, written: 1, unchanged: 2, refused: 1 });
      await report({ organizationId: other, rows: 99 });
      assert.deepEqual(await readFirst(), [4, 1, 2, 1, undefined]);
      await report({ rows: 5, written: 5, outcome: "failed" });
      await report({ rows: 6 });
      assert.deepEqual(await readFirst(), [5, 5, 0, 0, "failed"]);
    });

    it("are forgotten after a while", async () => {
      await imports().purgeImports(second.startedAt + importKeptMs);
      const left = await imports().listImports(9);
      assert.deepEqual(
        left.map(({ importId }) => importId),
        ["imp_2"],
      );
    });
  });
}
