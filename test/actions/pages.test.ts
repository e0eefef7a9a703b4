// Long lists of a store, read page by page from a real store.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { auditPages, deletionPages, holdPages, receiptPages } from "../../src/actions/pages.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { limits } from "../../src/domain/limits.ts";
import { keyOf, operator, transaction } from "../conformance/scene.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { withActs } from "../support/test-store.ts";

const pageRows = limits.ledgerEntriesAtOnce;

function sizesOf<Row>(pages: AsyncIterable<readonly Row[]>): Promise<readonly number[]> {
  return Array.fromAsync(pages, (page) => page.length);
}

describe("pages of the audit trail and of holds", async () => {
  const folder = makeTempFolder();

  const app = await openApp(readConfig(testEnvironment(folder)), { role: "command" });
  after(() => app.close());

  async function note(count: number): Promise<void> {
    const entry = {
      action: "store.backup" as const,
      organizationId: undefined,
      subject: "x",
      detail: {},
    };
    await Promise.all(Array.from({ length: count }, () => app.store.trail.note(entry, operator)));
  }

  it("are none for empty lists", async () => {
    for (const pages of [auditPages(app), receiptPages(app), holdPages(app), deletionPages(app)]) {
      assert.deepEqual(await sizesOf<unknown>(pages), []);
    }
  });

  it("contain every entry once and in order, also where a page ends with the list", async () => {
    await note(pageRows);
    assert.deepEqual(await sizesOf(auditPages(app)), [pageRows]);
    await note(1);
    const pages = await Array.fromAsync(auditPages(app));
    assert.deepEqual(
      pages.map(({ length }) => length),
      [pageRows, 1],
    );
    assert.deepEqual(
      pages.flat().map(({ entryNo }) => entryNo),
      Array.from({ length: pageRows + 1 }, (_, index) => index + 1),
    );
  });

  it("begin after the number that is given", async () => {
    const [[first] = []] = await Array.fromAsync(auditPages(app, 7));
    assert.equal(first?.entryNo, 8);
  });

  it("contain the holds in the order of their ids", async () => {
    await withActs(app.store).write([transaction("a"), transaction("b")]);
    for (const id of ["a", "b", "a"]) await withActs(app.store).hold(keyOf("transaction", id));
    const ids = (await Array.fromAsync(holdPages(app))).flat().map(({ holdId }) => holdId);
    assert.equal(ids.length, 3);
    assert.deepEqual(ids, ids.toSorted());
  });
});
