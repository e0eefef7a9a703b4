// The sessions that pages show, run against a real server: every command works, every reply is as shown. The commands
// in the guides about backups, the GDPR and migrating, run beside a real server: each works, and prints what the guide
// shows.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, awaitCompletion } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { blocksOf, patternOf } from "./rule/pages.ts";
import { readFile, root } from "./tree.ts";

const separator = "\u001e";
const addressInPages = "http://127.0.0.1:8080";

interface Played {
  /** The last line that was printed before each line of the form `# => …`. */
  readonly replies: readonly string[];
  /** What that line shows. */
  readonly expected: readonly string[];
}

interface Stage {
  /** The address of the server that replaces the one in the page. */
  readonly address: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Rejects when a command fails. */
async function playSession(script: string, stage: Stage): Promise<Played> {
  const expected = [...script.matchAll(/^# => (.*)$/gm)].map(([, shown = ""]) => shown);
  const marked = script
    .replaceAll(addressInPages, stage.address)
    .replace(/^# => .*$/gm, `printf '${separator}'`);
  const { stdout } = await promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", marked], {
    cwd: stage.folder,
    env: { ...process.env, ...stage.environment },
  });
  const replies = stdout
    .split(separator)
    .map((printed) => printed.trimEnd().split("\n").at(-1) ?? "");
  return { replies, expected };
}

/** Runs the checkout's own command from any folder. */
const ownCommand = `"${process.execPath}" "${join(root, "bin/sluice.js")}"`;

describe("the session in the README", () => {
  const { text } = readFile("README.md");
  const session = blocksOf(text.split("## A session")[1] ?? "", "sh")[0] ?? "";
  const folder = makeTempFolder();
  const environment = { DATABASE_URL: `sqlite:${folder}/sluice.db`, LOG_LEVEL: "warn" };
  let server: ServerProcess;

  before(async () => {
    server = await startServerProcess({ ...environment, PORT: "0", NODE_ENV: "development" });
  });

  after(() => server.end("SIGTERM"));

  const play = (script: string) =>
    playSession(script, { address: server.address, folder: root, environment });

  it("gets the replies that it shows", async () => {
    assert.ok(session !== "");
    const { replies, expected } = await play(session);
    assert.ok(expected.length >= 5);
    for (const [index, shown] of expected.entries())
      assert.match(replies[index] ?? "", patternOf(shown));
  });

  it("would fail for another reply, and for a command that fails", async () => {
    const { replies, expected } = await play("echo one\n# => two\n");
    assert.doesNotMatch(replies[0] ?? "", patternOf(expected[0] ?? ""));
    await assert.rejects(play("false\necho one\n# => one\n"));
    await assert.rejects(play("false | cat\necho one\n# => one\n"));
  });
});

describe("the session in the guide to import and export", () => {
  const { text } = readFile("docs/guides/bulk.md");
  const session = blocksOf(text, "sh").join("\n");
  const folder = makeTempFolder();
  const store = { DATABASE_URL: `sqlite:${folder}/data/sluice.db`, DATA_DIR: `${folder}/data` };
  const environment = { ...store, LOG_LEVEL: "warn" };
  let server: ServerProcess;

  before(async () => {
    server = await startServerProcess({ ...environment, PORT: "0", NODE_ENV: "development" });
  });

  after(() => server.end("SIGTERM"));

  it("prints the output that it shows", async () => {
    const script = session.replaceAll("npx sluice", ownCommand);
    const { replies, expected } = await playSession(script, {
      address: server.address,
      folder,
      environment,
    });
    assert.ok(expected.length >= 10);
    for (const [index, shown] of expected.entries())
      assert.match(replies[index] ?? "", patternOf(shown));
  });
});

const timestamp = "2026-01-31T09:30:00Z";
/** As the command, whether a guide writes `sluice` or `npx sluice`. */
const command = `sluice() { "${process.execPath}" "${join(root, "bin/sluice.js")}" "$@"; }\n`;

interface Scene {
  readonly server: Server;
  /** An empty folder, in which the commands run. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

describe("the commands in the guide", () => {
  it("to backups restore the newest copy with the ledger, and show what is expected", async (test) => {
    const scene = await startScene(test);
    const { server, folder, environment } = scene;
    const acme = await makeAcme(server);
    for (const id of ["tx-stays", "tx-gone"]) await addTransaction(server.client, acme, id);
    const copies = join(folder, "copies");
    mkdirSync(copies);
    const line = makeCommandLine({ folder, environment });
    await line.ask("backup", join(copies, "sluice-20260301T020000Z.db"));
    const reason = { tx_id: "tx-gone", reason: "asked by the customer" };
    await awaitDeletion(server, acme, { path: "/v2/transaction", body: reason });
    const drill = sectionOf("docs/guides/backup-schedule.md", "A restore drill")
      .replaceAll("/var/backups/sluice", copies)
      .replaceAll("/var/lib/sluice", server.folder);
    await playGuide(drill, scene, 5);
  });

  it("to the GDPR prove an erasure, and find what names a person", async (test) => {
    const scene = await startScene(test);
    const { server } = scene;
    const acme = await makeAcme(server);
    const addPerson = async () => {
      await add(server, acme, { path: "/v2/person", body: person });
      await add(server, acme, { path: "/v2/screening", body: screening });
    };
    await addPerson();
    const body = { person_id: "person-81", reason: "case 77" };
    await awaitDeletion(server, acme, { path: "/v2/person", body });
    await addPerson();
    await playGuide(readFile("docs/guides/gdpr.md").text, scene, 3);
  });

  it("to requests of data subjects show, export and erase a person", async (test) => {
    const scene = await startScene(test);
    const acme = await makeAcme(scene.server);
    await add(scene.server, acme, { path: "/v2/person", body: person });
    await playGuide(readFile("docs/guides/subject-requests.md").text, scene, 0);
    assert.ok(existsSync(join(scene.folder, "person-81", "index.html")));
  });

  it("to migrating import a history, and compare it", async (test) => {
    const scene = await startScene(test);
    await playGuide(readFile("docs/guides/migrating.md").text, scene, 4);
  });
});

const person = {
  person_id: "person-81",
  is_test_user: false,
  is_retail_customer: true,
  timestamp,
};

const screening = {
  screening_id: "screening-1",
  type: "PEP",
  outcome: "SCREENED",
  provider: "a provider",
  lists: ["a list"],
  related_person_id: "person-81",
  timestamp,
};

async function startScene(test: TestContext): Promise<Scene> {
  const server = await startServer();
  test.after(() => server.stop());
  return { server, folder: makeTempFolder(), environment: server.environment };
}

type Acme = Awaited<ReturnType<typeof makeAcme>>;

function makeAcme(server: Server) {
  const options = { organizationId: "acme" };
  return server.operate((app) => makeCustomer(app, server.client, options));
}

interface Sending {
  readonly path: string;
  readonly body: object;
}

async function add({ client }: Server, { token }: Acme, sending: Sending): Promise<void> {
  const reply = await client.send({ method: "POST", token, ...sending });
  assert.equal(reply.status, 201, reply.text);
}

async function awaitDeletion({ client }: Server, acme: Acme, sending: Sending): Promise<void> {
  const reply = await client.send({ method: "DELETE", token: acme.token, ...sending });
  await awaitCompletion(client, acme, String(reply.body["deletion_request_id"]));
}

function sectionOf(path: string, title: string): string {
  return readFile(path).text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

/** Requires as many lines of the form `# => …` as there are, so that none is lost unnoticed. */
async function playGuide(text: string, scene: Scene, shown: number): Promise<void> {
  const script = command + blocksOf(text, "sh").join("\n").replaceAll("npx sluice", "sluice");
  const { server, folder, environment } = scene;
  const { address } = server;
  const { replies, expected } = await playSession(script, { address, folder, environment });
  assert.equal(expected.length, shown);
  for (const [index, line] of expected.entries()) {
    assert.match(replies[index] ?? "", patternOf(line));
  }
}
