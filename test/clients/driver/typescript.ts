// The TypeScript client driven by commands: a JSON line each on standard input, and a JSON line with the outcome for
// each on standard output. The drivers of the other languages do the same; test/clients/scenarios.ts has the commands.

import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import {
  type ChangesOptions,
  type Collection,
  type DeletableCollection,
  type DeleteOptions,
  Sluice,
  SluiceError,
  SluiceNetworkError,
  type SluiceOptions,
  verifyWebhook,
  type WebhookVerification,
  WebhookVerificationError,
} from "../../../client/src/sluice.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is printed of an event. */
interface Event {
  readonly type: string;
  readonly subject: string;
  readonly data?: Fields;
}
type AnyCollection = Collection<Fields, Fields, object>;
type AnyDeletable = DeletableCollection<Fields, Fields, object, object>;

interface Command {
  readonly op: string;
  readonly collection: string;
  readonly records: Fields | readonly Fields[];
  readonly key?: string;
  readonly id: string;
  readonly reason: string;
  readonly basis?: NonNullable<DeleteOptions["basis"]>;
  readonly file: string;
  readonly batch_size: number;
  readonly end_after_ms?: number;
  readonly [option: string]: unknown;
}

let client: Sluice | undefined;

function collectionOf({ collection }: Command): AnyCollection {
  const camel = collection.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (opened() as unknown as Record<string, AnyCollection>)[camel] as AnyCollection;
}

function opened(): Sluice {
  if (client === undefined) throw new Error("open comes first");
  return client;
}

const operations: Readonly<Record<string, (command: Command) => Promise<unknown>>> = {
  open: async (command) => {
    client = new Sluice({
      baseUrl: command["base_url"],
      apiKey: command["api_key"],
      tokenSource: sourceOf(command),
      organizationId: command["organization_id"],
      scopes: command["scopes"],
      timeoutMs: command["timeout_ms"],
      retryForMs: command["retry_for_ms"],
    } as SluiceOptions);
    return { shown: inspect(client, { depth: 10 }) };
  },
  add: (command) =>
    collectionOf(command).add(command.records, { idempotencyKey: command.key, ...ending(command) }),
  update: (command) => collectionOf(command).update(command.records),
  exists: async (command) => ({ found: (await collectionOf(command).exists(command.id)) ?? null }),
  delete: (command) =>
    (collectionOf(command) as AnyDeletable).delete(command.id, command.reason, {
      idempotencyKey: command.key,
      basis: command.basis,
    }),
  /** Each caller makes its calls one after another, beside the others. */
  concurrent: ({ callers }) =>
    Promise.all((callers as Command[][]).map((commands) => Array.fromAsync(commands, run))),
  status: ({ id }) => opened().deletions.status(id),
  wait: (command) => opened().deletions.wait(command.id, ending(command)),
  /** Ends with the page that has as many events as wanted. After each page it adds the next record. */
  changes: async (command) => {
    const { offset, types, content, until_end: untilEnd, events_max: eventsMax } = command;
    const options = { offset, types, content, follow: untilEnd !== true, ...ending(command) };
    const records = [...((command["records"] ?? []) as readonly Fields[])];
    const persons = collectionOf({ ...command, collection: "persons" });
    const seen: string[] = [];
    let last = "";
    for await (const page of opened().changes(options as ChangesOptions)) {
      last = page.offset;
      for (const { type, subject, data } of page.events as readonly Event[]) {
        const name = data?.["name"];
        seen.push(`${type} ${subject} ${typeof name === "string" ? name : ""}`.trim());
      }
      if (seen.length >= Number(eventsMax)) break;
      const record = records.shift();
      if (record !== undefined) await persons.add(record);
    }
    return { seen, offset: last };
  },
  verify: async ({ body, headers, keys }) => {
    try {
      await verifyWebhook(body as string, { headers, keys } as WebhookVerification);
      return { verified: true };
    } catch (error) {
      if (error instanceof WebhookVerificationError) return { verified: false };
      throw error;
    }
  },
  add_all: async (command) => {
    const options = { batchSize: command.batch_size };
    const upload = collectionOf(command).addAll(linesOf(command.file), options);
    const refusals = [];
    for await (const { index, code, errors } of upload) {
      refusals.push({ index, code, fields: errors.map(({ field }) => field) });
    }
    return { refusals, tally: upload.tally };
  },
};

function sourceOf({ token_file: file, token_function: isFunction }: Command): unknown {
  return isFunction === true ? () => readFileSync(file as string, "utf8") : file;
}

function ending({ end_after_ms: endAfterMs }: Command): { signal?: AbortSignal } {
  return endAfterMs === undefined ? {} : { signal: AbortSignal.timeout(endAfterMs) };
}

async function* linesOf(file: string): AsyncGenerator<Fields> {
  for await (const line of createInterface(createReadStream(file)))
    yield JSON.parse(line) as Fields;
}

function describe(error: unknown): unknown {
  if (error instanceof SluiceError) {
    return {
      kind: error instanceof SluiceNetworkError ? "network" : "refused",
      status: error.status,
      code: error.code,
      fields: error.errors.map(({ field }) => field),
      message: error.message,
      key: error.idempotencyKey ?? null,
      has_request_id: error.requestId !== undefined,
      shown: inspect(error),
    };
  }
  const kind = error instanceof DOMException ? "ended" : "argument";
  return { kind, message: String(error), shown: inspect(error) };
}

async function run(command: Command): Promise<unknown> {
  try {
    return { ok: (await operations[command.op]?.(command)) ?? null };
  } catch (error) {
    return { error: describe(error) };
  }
}

for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Command))}\n`);
}
