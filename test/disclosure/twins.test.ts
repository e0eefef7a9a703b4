// A short comparison of all pages of the console and all commands between two stores that differ only in confidential
// records, and that it notices a page, a figure and a command that disclose them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { renderChart } from "../../src/console/html/chart.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { serviceOptions, withMethods } from "./batch.ts";
import { compareTwins, type TwinLeak } from "./twins.ts";
import { shortRun } from "../campaign/in-test.ts";
import { apart, withoutChance } from "./view.ts";

const { commands } = await loadTable();

const reports = ["customer_sar", "transaction_suspicious_activity"];

function countReports(counts: Readonly<Record<string, number | undefined>>): number {
  return reports.reduce((sum, type) => sum + (counts[type] ?? 0), 0);
}

function countingErased(store: Store): Store {
  const findDeletion: Store["findDeletion"] = async (...args) => {
    const found = await store.findDeletion(...args);
    if (found === undefined) return undefined;
    const more = countReports(found.erased) + countReports(found.kept);
    return { ...found, erased: { ...found.erased, person: (found.erased["person"] ?? 0) + more } };
  };
  return withMethods(serviceOptions.wrapStore(store), { findDeletion });
}

function countingStored(store: Store): Store {
  const deletionFigures: Store["deletionFigures"] = async (now) => {
    const figures = await store.deletionFigures(now);
    let underFloor = 0;
    for (const { organizationId } of await store.listOrganizations()) {
      underFloor += countReports(await store.countRecords(organizationId));
    }
    return { ...figures, underFloor };
  };
  return withMethods(serviceOptions.wrapStore(store), { deletionFigures });
}

function countingBoth(store: Store): Store {
  return countingErased(countingStored(store));
}

/** Commands open the store themselves. */
function countingShown(app: App): App {
  const countRecords: Store["countRecords"] = async (organizationId) => {
    const counts = await app.store.countRecords(organizationId);
    return { ...counts, person: (counts["person"] ?? 0) + countReports(counts) };
  };
  return { ...app, store: withMethods(app.store, { countRecords }) };
}

function shown(hash: string, values: readonly number[]): string {
  const slots = values.map((value, at) => ({ at, value }));
  const chart = renderChart({ slots, label: "Records", unit: "records" });
  return withoutChance(`"key_id":"${hash}" ${chart.text} 1`);
}

describe("two stores that differ only in confidential records", () => {
  it("have the same pages and commands for those who may not know of them", async () => {
    const { figures, findings } = await compareTwins(shortRun({ seed: 1, count: 1 }));
    assert.deepEqual(findings, []);
    assert.ok(figures.compared > 60, `${figures.compared} compared`);
  });

  it("differ if a page, a figure on /metrics and a command count reports as something else", async () => {
    const leak: TwinLeak = { wrapStore: countingBoth, wrapApp: countingShown };
    const { findings } = await compareTwins(shortRun({ seed: 12, count: 1 }), leak);
    for (const view of ["/console/deletion/:id", "metrics", " organization show "]) {
      assert.ok(
        findings.some((finding) => finding.includes(view)),
        findings.join("\n"),
      );
    }
  });

  it("do not differ if a hash begins or ends with a hyphen, or the machine was slower", () => {
    const first = shown("a".repeat(43), [0, 1]);
    assert.equal(shown(`-${"a".repeat(42)}`, [1, 0]), first);
    assert.equal(shown(`${"a".repeat(42)}-`, [0, 0, 1]), first);
  });

  it("are compared in everything but what exists and is listed", () => {
    const names = new Set(commands.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(apart).filter((name) => !names.has(name)),
      [],
    );
  });
});
