// Two stores and the files between them: one exports, the other imports, and both are read through
// the store itself, so that an incomplete export is noticed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { writeRecords } from "../../../src/actions/intake/write-records.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { mergeChanges } from "../../../src/domain/record/merge.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import type { ExportedChange } from "../../../src/domain/record/record-write.ts";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";
import { removeFolder } from "../../support/temp-folder.ts";

export const formats = ["ndjson", "csv", "parquet"] as const;
export type Format = (typeof formats)[number];
export const acme = "acme";

export async function makeStore(
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandLine> {
  const line = makeCommandLine({ environment });
  await line.ask("organization create --name Acme --id", acme);
  return line;
}

/** A store for one test. */
export async function openStoreFor(test: TestContext): Promise<CommandLine> {
  const line = await makeStore();
  test.after(() => removeFolder(line.folder));
  return line;
}

export async function withApp<Result>(
  { environment }: CommandLine,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const app = await openApp(readConfig(environment), { role: "command" });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** A record's first submission, or a further one. */
export interface Submitted {
  readonly mode: "add" | "update";
  readonly payload: Payload;
}

export async function submit(
  app: App,
  type: RecordType,
  submitted: readonly Submitted[],
): Promise<void> {
  for (const { mode, payload } of submitted) {
    await writeRecords(app, {
      organizationId: acme,
      type,
      mode,
      lenient: false,
      single: true,
      items: [payload],
    });
  }
}

/** What a store has of a type, by id: every stored change, and the resulting state. */
export interface Content {
  readonly states: ReadonlyMap<string, Payload>;
  readonly payloads: ReadonlyMap<string, readonly string[]>;
}

export function contentOf(line: CommandLine, type: RecordType): Promise<Content> {
  return withApp(line, async ({ store }) => {
    const asked = {
      organizationId: acme,
      resourceType: type.resourceType,
      upTo: await store.latestArrival(),
      limit: 1_000,
    };
    const all: ExportedChange[] = [];
    for (;;) {
      const page = await store.listChanges({ ...asked, after: all.at(-1) });
      all.push(...page);
      if (page.length < asked.limit) break;
    }
    const byId = Map.groupBy(all, ({ resourceId }) => resourceId);
    const states = new Map([...byId].map(([id, changes]) => [id, mergeChanges(type, changes)]));
    const payloads = new Map(
      [...byId].map(([id, changes]) => [id, changes.map(({ payload }) => payload)]),
    );
    return { states, payloads };
  });
}

export interface Way {
  readonly type: RecordType;
  readonly format: Format;
  readonly history?: boolean;
}

/** Options before the ones that follow; returns the file. */
export async function exportTo(
  from: CommandLine,
  { type: { resourceType }, format, history = false }: Way,
  ...options: readonly string[]
): Promise<string> {
  const file = join(from.folder, `${resourceType}${history ? "-history" : ""}.${format}`);
  const words = ["export", resourceType, "--organization", acme, "--output", file];
  const { code, err } = await from.type(...words, ...(history ? ["--history"] : []), ...options);
  assert.equal(err, "");
  assert.equal(code, 0);
  return file;
}

export interface FileReport {
  readonly rows: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly refused_file?: string;
}

export async function importFrom(
  to: CommandLine,
  type: RecordType,
  file: string,
): Promise<FileReport> {
  const words = ["import", file, "--type", type.resourceType, "--organization", acme];
  const { err, out } = await to.type(...words, "--connections", "2", "--json");
  assert.equal(err, "");
  const { files } = JSON.parse(out) as { files: readonly FileReport[] };
  const [report] = files;
  assert.ok(report !== undefined);
  const { refused, refused_file: refusedFile } = report;
  if (refused > 0) assert.fail(readFileSync(refusedFile ?? "", "utf8").slice(0, 2_000));
  return report;
}
