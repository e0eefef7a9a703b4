// Sends case after case to one server, evaluates every reply and the store after it, and stops at
// the first cases in which anything is wrong.

import { withTimeout } from "../../src/basics/with-timeout.ts";
import { openApp } from "../../src/process/app.ts";
import type { App } from "../../src/actions/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { isAnswering, type Reply } from "../support/http-client.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { FuzzCase, Scene } from "./fuzz-case.ts";
import { checkReply, Expectation } from "./check-writes.ts";
import { checkServer, withFuzzedServer } from "./fuzzed-server.ts";
import { makeCase } from "./make-case.ts";
import { openRaw } from "../support/raw-socket.ts";
import { readAllReplies } from "../support/raw-replies.ts";

interface Figures {
  cases: number;
  /** Accepted. */
  records: number;
  readonly byStatus: Record<string, number>;
}

/** The first case has the seed of the run, and each further one the next. */
export const fuzz: Campaign<Figures> = {
  about: "sends unusual requests, and compares the store with the replies",
  counts: "cases",
  countDefault: 20_000,
  engines: ["sqlite"],
  run: (run) =>
    withFuzzedServer({ RATE_LIMIT_PER_SECOND: "0" }, (server, scene) =>
      sendCases(run, server, scene),
    ),
};

const findingsMax = 20;
const casesPerCheck = 500;
/** Only to name a case that ends the service instead of waiting for ever. */
const replyMsMax = 60_000;

async function sendCases(
  run: CampaignRun,
  server: ServerProcess,
  scene: Scene,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit(run);
  const app = await openApp(readConfig(scene.environment), { role: "command" });
  const expectation = new Expectation();
  const findings: string[] = [];
  const figures: Figures = { cases: 0, records: 0, byStatus: {} };
  const logged = new Set<string>();
  try {
    const { child } = server;
    while (!isOver(figures.cases) && findings.length < findingsMax && child.signalCode === null) {
      const seed = run.seed + figures.cases;
      figures.cases += 1;
      const sent = makeCase(scene, seed);
      const sending = { app, expectation, byStatus: figures.byStatus, seed };
      if (sent.before !== undefined)
        findings.push(...(await runCase(server, sent.before, sending)));
      findings.push(...(await runCase(server, sent, sending)));
      if (figures.cases % casesPerCheck !== 0) continue;
      findings.push(...(await checkServer(server, logged)));
      run.tell(`${figures.cases} cases`);
    }
    findings.push(...(await checkServer(server, logged)));
    const ids = scene.customers.map(({ organizationId }) => organizationId);
    findings.push(...(await expectation.checkCounts(app, ids)));
  } finally {
    await app.close();
  }
  return { figures: { ...figures, records: expectation.accepted }, findings };
}

interface Run {
  readonly app: App;
  readonly expectation: Expectation;
  readonly byStatus: Record<string, number>;
  readonly seed: number;
}

/** What was found, if anything, as one text. */
async function runCase(
  server: ServerProcess,
  sent: FuzzCase,
  { app, expectation, byStatus, seed }: Run,
): Promise<readonly string[]> {
  const { replies, faults } = await sendCase(server, sent);
  for (const reply of replies) {
    byStatus[reply.status] = (byStatus[reply.status] ?? 0) + 1;
    faults.push(...checkReply(sent, reply));
    if (sent.write !== undefined)
      faults.push(...(await expectation.evaluate(app, sent.write, reply)));
  }
  return faults.length === 0 ? [] : [describeCase(seed, sent, { faults, replies })];
}

async function sendCase(
  { client, address, child }: ServerProcess,
  sent: FuzzCase,
): Promise<{ replies: readonly Reply[]; faults: string[] }> {
  try {
    if (sent.raw === undefined) {
      return { replies: [await withTimeout(client.send(sent.ask), replyMsMax)], faults: [] };
    }
    const { socket, closed } = openRaw(address);
    let isLeftOpen = false;
    socket.once("timeout", () => (isLeftOpen = true));
    socket.end(sent.raw);
    const { replies, rest } = readAllReplies(Buffer.from(await closed, "latin1"));
    if (isLeftOpen) throw new Error("the connection was still open");
    const faults =
      rest.length === 0
        ? []
        : [`something that is no reply: ${rest.toString("latin1").slice(0, 200)}`];
    return { replies, faults };
  } catch (error) {
    // Whatever is asked of a server that answers nothing waits for ever.
    if (!(await isAnswering(address))) child.kill("SIGKILL");
    return { replies: [], faults: [`no reply: ${String(error)}`] };
  }
}

function describeCase(
  seed: number,
  { what, ask, raw }: FuzzCase,
  { faults, replies }: { faults: readonly string[]; replies: readonly Reply[] },
): string {
  const shown =
    raw?.toString("latin1") ??
    `${ask.method} ${ask.path} ${JSON.stringify(ask.headers)} ${String(ask.body)}`;
  const answers = replies.map(({ status, text }) => `${status} ${text.slice(0, 600)}`).join(" | ");
  return `case ${seed} (${what}): ${faults.join("; ")}\n  sent ${shown.slice(0, 3_000)}\n  got ${answers}`;
}
