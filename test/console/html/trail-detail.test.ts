// How the details of entries of the audit trail are shown: nothing as JSON or as a number of milliseconds, and nothing
// that was sent as markup.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inWords, renderDetail } from "../../../src/console/page/audit.ts";

const show = (detail: Readonly<Record<string, unknown>>) => renderDetail(detail).text;

describe("the details of an entry of the trail", () => {
  it("have names in words", () => {
    const names = ["graceSeconds", "grace_seconds", "organizationId", "by"];
    assert.deepEqual(names.map(inWords), [
      "Grace seconds",
      "Grace seconds",
      "Organization ID",
      "By",
    ]);
  });

  it("show times as times, types as titles, and deletions as links", () => {
    const page = show({
      dueAt: Date.UTC(2026, 5, 1, 15, 10),
      resourceType: "customer_sar",
      deletion: "del_abc",
      waitedMs: 7_200_000,
      keepDays: 1_827,
    });
    for (const part of [
      'class="exact" datetime="2026-06-01T15:10:00.000Z"',
      "Customer SAR",
      'href="/console/deletion/del_abc"',
      "2 hours",
      "1,827",
    ]) {
      assert.ok(page.includes(part), `${part} in ${page}`);
    }
    assert.doesNotMatch(page, /178\d{10}/);
  });

  it("show lists and parts in words, and say what is left out", () => {
    const scopes = Array.from({ length: 12 }, (_, index) => `scope:${index}`);
    const page = show({ scopes, floor: { keepDays: 3, redactable: false }, ends: null, none: [] });
    assert.match(page, /scope:9.* and 2 more/);
    assert.match(page, /keep days 3.*redactable .*no/);
    assert.doesNotMatch(page, /\{|\[/);
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`f${index}`, index]));
    assert.match(show(many), /and 3 more in the export/);
  });

  it("are escaped and bounded", () => {
    const page = show({ reason: `<script>${"x".repeat(5_000)}` });
    assert.ok(page.includes("&lt;script&gt;") && page.length < 400, page);
    assert.equal(show({}), "–");
  });
});
