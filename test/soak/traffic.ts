// The load of a soak beside the good client: ten deletions a second and one of a person whom transactions name, a
// stream that is open all the time, and an import. Finally checks that every deletion was completed, and that nothing
// else that was acknowledged is missing.

import { appendFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { Site } from "../abuse/site.ts";
import type { Random } from "../support/random.ts";
import { linesOf, listOf, person, transaction } from "../abuse/records.ts";
import { runProgram } from "../cli/program.ts";
import { type Ask, type Reply, sendWithinLimit } from "../support/http-client.ts";
import { linesOf as repliesOf, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";

interface TrafficOptions {
  readonly random: Random;
  /** For the files that are imported, and those that were streamed. */
  readonly folder: string;
  readonly rowsOfImport: number;
}

const deletionEveryMs = 100;
const personEveryMs = 1_000;
const transactionsOfPerson = 3;
const streamEveryMs = 100;
const linesEach = 20;

/** One after the other; those that are late follow at once. */
async function atIntervals(
  intervalMs: number,
  until: number,
  act: () => Promise<void>,
): Promise<void> {
  for (let due = performance.now(); due < until; due += intervalMs) {
    await sleep(Math.max(0, due - performance.now()));
    await act();
  }
}

type Query = Readonly<Record<string, string>>;

export class Traffic {
  readonly findings: string[] = [];
  readonly #site: Site;
  readonly #options: TrafficOptions;
  /** The files whose rows were acknowledged, with the number of their rows. */
  readonly #files = new Map<string, number>();
  /** What was deleted by the id of its deletion, in the order of the requests. */
  readonly #deleted = { transaction: new Map<string, Query>(), person: new Map<string, Query>() };
  #importing: Promise<void> = Promise.resolve();

  constructor(site: Site, options: TrafficOptions) {
    this.#site = site;
    this.#options = options;
  }

  /** What was acknowledged. */
  get counts(): { readonly deletions: number; readonly persons: number; readonly rows: number } {
    const rows = this.#files.values().reduce((sum, count) => sum + count, 0);
    const { transaction: deletions, person: persons } = this.#deleted;
    return { deletions: deletions.size, persons: persons.size, rows };
  }

  /** The ids of the deletions: of transactions, and of persons. */
  get requested(): readonly (readonly string[])[] {
    return Object.values(this.#deleted).map((deleted) => [...deleted.keys()]);
  }

  /** One import begins after the other has ended. */
  async run(part: number, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    this.#importing = this.#importing.then(() => this.#import(part));
    await Promise.all([
      atIntervals(deletionEveryMs, until, () => this.#deleteTransaction()),
      atIntervals(personEveryMs, until, () => this.#deletePerson()),
      this.#stream(part, until),
    ]);
  }

  async verify(): Promise<readonly string[]> {
    await this.#importing;
    for (const [type, deletions] of Object.entries(this.#deleted)) {
      for (const [deletion, query] of deletions) await this.#requireGone(deletion, type, query);
    }
    for (const { person_id: id } of this.#deleted.person.values()) {
      const query = { tx_id: `${id}-0` };
      const { status } = await this.#send("GET", "/v2/transaction", { query });
      if (status !== 200) this.findings.push(`a transaction of ${id} is gone: ${status}`);
    }
    // What is stored is unchanged when it is sent again.
    const { written, unchanged } = await this.#importFiles([...this.#files.keys()]);
    if (written !== 0 || unchanged !== this.counts.rows) {
      this.findings.push(`of ${this.counts.rows} rows ${unchanged} are stored`);
    }
    return this.findings;
  }

  async #requireGone(deletion: string, type: string, query: Query): Promise<void> {
    const of = { query: { deletion_request_id: deletion } };
    const isCompleted = async () =>
      (await this.#send("GET", "/v2/deletion_request", of)).body.status === "completed";
    const limits = { timeoutMs: 600_000, intervalMs: 100 };
    await waitFor(`${deletion} to be completed`, isCompleted, limits);
    const { status } = await this.#send("GET", `/v2/${type}`, { query });
    if (status === 404) return;
    this.findings.push(`${JSON.stringify(query)} was deleted, and is there: ${status}`);
  }

  async #deleteTransaction(): Promise<void> {
    const id = `deleted-${this.#deleted.transaction.size}`;
    await this.add(id);
    await this.#delete("transaction", { tx_id: id });
  }

  /** The transactions stay. */
  async #deletePerson(): Promise<void> {
    const id = `person-${this.#deleted.person.size}`;
    await this.#send("POST", "/v2/person", { body: person(id) });
    const namings = listOf(transactionsOfPerson, (index) =>
      this.#record(`${id}-${index}`).replace(`"sender_id":"s"`, `"sender_id":"${id}"`),
    );
    await this.#send("POST", "/v2/transactions/batch", { body: namings });
    await this.#delete("person", { person_id: id });
  }

  async #delete(type: "transaction" | "person", query: Query): Promise<void> {
    const body = { ...query, reason: "deleted by a soak" };
    const reply = await this.#send("DELETE", `/v2/${type}`, { body });
    const { deletion_request_id: deletion } = reply.body;
    if (deletion !== undefined) this.#deleted[type].set(deletion, query);
  }

  add(id: string): Promise<Reply> {
    return this.#send("POST", "/v2/transaction", { body: this.#record(id) });
  }

  async #stream(part: number, until: number): Promise<void> {
    const { address, token } = this.#site.target;
    const path = join(this.#options.folder, `stream-${part}.ndjson`);
    const stream = openStream(address, { method: "POST", path: "/v2/transactions/batch", token });
    let count = 0;
    await atIntervals(streamEveryMs, until, async () => {
      const lines = this.#linesOf(`streamed-${part}-${count}`, linesEach);
      appendFileSync(path, lines);
      await stream.write(lines);
      count += linesEach;
    });
    const reply = await stream.end();
    const written = repliesOf(reply).at(-1)?.["write_count"];
    if (written !== count)
      this.findings.push(`a stream of ${count} lines wrote ${String(written)}`);
    this.#files.set(path, count);
  }

  async #import(part: number): Promise<void> {
    const { folder, rowsOfImport: count } = this.#options;
    const path = join(folder, `import-${part}.ndjson`);
    writeFileSync(path, this.#linesOf(`imported-${part}`, count));
    const { written } = await this.#importFiles([path]);
    if (written !== count) this.findings.push(`an import of ${count} rows wrote ${written}`);
    this.#files.set(path, count);
  }

  async #importFiles(paths: readonly string[]) {
    const { address, organizationId, apiKey } = this.#site.target;
    const about = ["--type", "transaction", "--organization", organizationId, "--url", address];
    const words = ["import", ...paths, ...about, "--json"];
    const { code, out, err } = await runProgram(words, { SLUICE_API_KEY: apiKey });
    if (code !== 0) this.findings.push(`an import ended with ${code}: ${out}${err}`.slice(0, 500));
    const { files } = JSON.parse(out) as {
      files: { readonly written: number; readonly unchanged: number }[];
    };
    const sum = (name: "written" | "unchanged") => files.reduce((all, one) => all + one[name], 0);
    return { written: sum("written"), unchanged: sum("unchanged") };
  }

  async #send(method: string, path: string, more: Pick<Ask, "query" | "body">): Promise<Reply> {
    const { server, target } = this.#site;
    const ask = { method, path, token: target.token, ...more };
    const reply = await sendWithinLimit(server.client, ask);
    if (reply.status >= 400 && reply.status !== 404) {
      this.findings.push(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
    return reply;
  }

  #linesOf(prefix: string, count: number): string {
    return linesOf(count, (index) => this.#record(`${prefix}-${index}`));
  }

  #record(id: string): string {
    return transaction(id, this.#options.random.integer(1, 1_000_000));
  }
}
