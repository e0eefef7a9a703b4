// Clients of Durable Streams, unmodified, follow the feed of a service in every way that they know, from its beginning
// and while changes arrive. Each has to be given every change once and in order. The clients for Python and
// Go are installed for a run.

import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
} from "../campaign/campaign.ts";
import { run as runCommand } from "../generated/client-maker.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { type Service, startService } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const languages = ["typescript", "python", "go"] as const;
type Language = (typeof languages)[number];

const modes = ["catch-up", "long-poll", "sse"] as const;
const pythonPackage = "durable-streams==0.1.0";
const goModule = "github.com/durable-streams/durable-streams/packages/client-go@v0.1.0";
const listItemsMax = 2_000;
/** What is stored before the clients begin; the rest arrives while they follow. */
const backlogShare = 0.8;

export const durableStreamsClients: Campaign = {
  about: "lets clients of Durable Streams follow changes; installs those for Python and Go",
  counts: "changes",
  countDefault: 1_000_000,
  engines: ["sqlite", "postgres"],
  parts: languages,
  run: runClients,
};

type Program = readonly [command: string, ...words: string[]];

async function runClients(run: CampaignRun): Promise<CampaignOutcome> {
  const folder = makeTempFolder();
  try {
    const programs = new Map<Language, Program>();
    for (const language of languages) {
      if (run.only?.includes(language) === false) continue;
      programs.set(language, await install(folder, language));
    }
    return await withServicesOn(run.engine, async () => {
      const service = await startService({ clock: { ...makeFakeClock(), now: Date.now } });
      try {
        return await followAll(service, { run, programs });
      } finally {
        await service.stop();
      }
    });
  } finally {
    removeFolder(folder);
  }
}

function program(name: string): string {
  return join(import.meta.dirname, name);
}

async function install(folder: string, language: Language): Promise<Program> {
  if (language === "typescript") return [process.execPath, program("follow.ts")];
  if (language === "go") {
    cpSync(program("follow.go"), join(folder, "main.go"));
    await runCommand(folder, "go", "mod", "init", "example.com/follow");
    await runCommand(folder, "go", "get", goModule);
    await runCommand(folder, "go", "build", "-o", "follow");
    return [join(folder, "follow")];
  }
  await runCommand(folder, "pip", "install", "--quiet", "--target", folder, pythonPackage);
  return ["env", `PYTHONPATH=${folder}`, "python3", program("follow.py")];
}

interface Following {
  readonly run: CampaignRun;
  readonly programs: ReadonlyMap<Language, Program>;
}

async function followAll(service: Service, { run, programs }: Following): Promise<CampaignOutcome> {
  const { countMax: count, tell } = run;
  const customer = await makeCustomer(service.app, service.client);
  const writer = new Writer(service, customer);
  await writer.writeUntil(Math.ceil(count * backlogShare));
  tell(`${writer.written} changes are stored`);
  const follow = async ([language, [command, ...words]]: [Language, Program], mode: string) => {
    const began = performance.now();
    const asked = [service.address, customer.token, mode, nameOf(count - 1)];
    const { stdout } = await promisify(execFile)(command, [...words, ...asked]);
    tell(`${language}, ${mode}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    return stdout;
  };
  const following = [...programs].flatMap((client) =>
    modes.map(async (mode) => {
      const name = `${client[0]}, ${mode}`;
      return { name, digest: await follow(client, mode).catch(findingOf) };
    }),
  );
  const [found] = await Promise.all([Promise.all(following), writer.writeUntil(count)]);
  const expected = writer.digest();
  const findings = found
    .filter(({ digest }) => digest !== expected)
    .map(({ name, digest }) => `${name} was given other changes than were stored: ${digest}`);
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
