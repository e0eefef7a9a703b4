// What auditors have of a service: its public keys and its exports, in files outside its data folder, and the programs
// that verify them.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PublishedKeys } from "../../src/actions/receipt/receipt-keys.ts";
import { type CommandLine, makeCommandLine, withoutManifest } from "../cli/command-line.ts";
import { inPython } from "../clients/subject.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { addTransaction, awaitCompletion } from "./scene.ts";

export interface ProofScene {
  readonly server: Server;
  readonly customer: Customer;
  readonly line: CommandLine;
  readonly folder: string;
  readonly published: PublishedKeys;
  /** The path of a file with these keys. */
  readonly keys: string;
  /** Text, lines, or a value as JSON. Returns the path. */
  readonly write: (name: string, content: unknown) => string;
  readonly fetch: (path: string) => Promise<string>;
  /** The lines of an export, without its manifest. */
  readonly exported: (command: string) => Promise<readonly string[]>;
  /** What a command with `--json` prints, and its exit code. */
  readonly verdict: <Verdict extends object>(
    ...words: readonly string[]
  ) => Promise<Verdict & { readonly code: number }>;
  readonly stop: () => Promise<void>;
}

export const keysPath = "/.well-known/sluice-receipts.json";
export const headsPath = "/.well-known/sluice-heads.json";

export async function startProofScene(): Promise<ProofScene> {
  const folder = makeTempFolder();
  const server = await startServer();
  const customer = await server.operate((app) => makeCustomer(app, server.client));
  const line = makeCommandLine({ folder: server.folder });
  const fetch = async (path: string) => (await server.client.send({ method: "GET", path })).text;
  const write = (name: string, content: unknown) => {
    const path = join(folder, name);
    const isLines = Array.isArray(content) && content.every((one) => typeof one === "string");
    const text = isLines ? `${content.join("\n")}\n` : JSON.stringify(content);
    writeFileSync(path, typeof content === "string" ? content : text);
    return path;
  };
  const text = await fetch(keysPath);
  return {
    server,
    customer,
    line,
    folder,
    write,
    fetch,
    published: JSON.parse(text) as PublishedKeys,
    keys: write("keys.json", text),
    exported: async (command) => {
      const { code, out } = await line.type(command);
      assert.equal(code, 0);
      return withoutManifest(out).trim().split("\n");
    },
    verdict: async (...words) => {
      const { code, out, err } = await line.type(...words, "--json");
      assert.equal(err, "");
      return { ...JSON.parse(out), code };
    },
    stop: async () => {
      await server.stop();
      removeFolder(folder);
    },
  };
}

type Status = Readonly<Record<string, unknown>>;

/** The status of a deletion with a basis, which Zoë Müller has approved. */
export async function deleteApproved({ server, line }: ProofScene): Promise<Status> {
  const { client } = server;
  const customer = await server.operate((app) =>
    makeCustomer(app, client, { deletionApproval: true }),
  );
  const { token } = customer;
  await line.ask("operator create", "Zoë Müller", "--role", "officer");
  await addTransaction(client, customer, "tx-1");
  const body = { tx_id: "tx-1", reason: "asked", basis: "objection" };
  const asked = await client.send({ method: "DELETE", path: "/v2/transaction", token, body });
  const id = String(asked.body.deletion_request_id);
  await line.ask(`deletion approve ${id} --as`, "Zoë Müller");
  return awaitCompletion(client, customer, id);
}

const program = join(import.meta.dirname, "../../docs/guides/verify.py");

/** What the program of the guide for auditors prints about the files, after its exit code. */
export async function inGuide(...files: readonly string[]): Promise<string> {
  type Ended = { readonly code?: number; readonly stdout: string; readonly stderr: string };
  const ended = await inPython(program, ...files).catch((error: unknown) => error);
  const { code = 0, stdout, stderr } = ended as Ended;
  return `${code} ${stdout}${stderr}`.trim();
}
