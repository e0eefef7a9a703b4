// The TypeScript client of Durable Streams, unmodified, follows the feed of a service in every mode, from its beginning
// and while changes arrive. It has to be given every change once and in order.

import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
} from "../campaign/campaign.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { type Service, startService } from "../support/service.ts";

const modes = ["catch-up", "long-poll", "sse"] as const;
const listItemsMax = 2_000;
/** What is stored before the clients begin; the rest arrives while they follow. */
const backlogShare = 0.8;

export const durableStreamsClients: Campaign = {
  about: "lets the client of Durable Streams follow changes",
  counts: "changes",
  countDefault: 1_000_000,
  engines: ["sqlite", "postgres"],
  run: (run) =>
    withServicesOn(run.engine, async () => {
      const service = await startService({ clock: { ...makeFakeClock(), now: Date.now } });
      try {
        return await followAll(service, run);
      } finally {
        await service.stop();
      }
    }),
};

const program = join(import.meta.dirname, "follow.ts");

async function followAll(
  service: Service,
  { countMax: count, tell }: CampaignRun,
): Promise<CampaignOutcome> {
  const customer = await makeCustomer(service.app, service.client);
  const writer = new Writer(service, customer);
  await writer.writeUntil(Math.ceil(count * backlogShare));
  tell(`${writer.written} changes are stored`);
  const follow = async (mode: string) => {
    const began = performance.now();
    const asked = [service.address, customer.token, mode, nameOf(count - 1)];
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...asked]);
    tell(`${mode}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    return stdout;
  };
  const following = modes.map(async (mode) => ({
    mode,
    digest: await follow(mode).catch(findingOf),
  }));
  const [found] = await Promise.all([Promise.all(following), writer.writeUntil(count)]);
  const expected = writer.digest();
  const findings = found
    .filter(({ digest }) => digest !== expected)
    .map(({ mode, digest }) => `${mode} was given other changes than were stored: ${digest}`);
  return { figures: { changes: writer.written, clients: found.length }, findings };
}

/** Adds one list after another, so that the order of the changes is known. */
class Writer {
  readonly #service: Service;
  readonly #customer: Customer;
  readonly #hash = createHash("sha256");
  written = 0;

  constructor(service: Service, customer: Customer) {
    this.#service = service;
    this.#customer = customer;
  }

  async writeUntil(count: number): Promise<void> {
    const { token } = this.#customer;
    while (this.written < count) {
      const items = Math.min(listItemsMax, count - this.written);
      const body = Array.from({ length: items }, (_, index) => screening(this.written + index));
      const ask = { method: "POST", path: "/v2/screening", token, body };
      const { status, text } = await this.#service.client.send(ask);
      if (status !== 201) throw new Error(`the changes were refused: ${text}`);
      for (const { screening_id: id } of body) this.#hash.update(`${id}\n`);
      this.written += items;
    }
  }

  digest(): string {
    return this.#hash.digest("hex");
  }
}

function nameOf(number: number): string {
  return `followed-${number}`;
}

function screening(number: number) {
  return {
    screening_id: nameOf(number),
    type: "SANCTION",
    outcome: "NEGATIVE",
    provider: "campaign",
    lists: [],
    timestamp: "2026-01-31T09:30:00Z",
  };
}
