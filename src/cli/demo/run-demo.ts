// The demonstration from beginning to end: a server with a store of its own, an organization and a key made as an
// operator makes them, and then only HTTP. Leaves nothing behind unless it is told to keep the store.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createKey } from "../../actions/create-key.ts";
import { createOrganization } from "../../actions/create-organization.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import type { Context } from "../command.ts";
import { makeContext } from "../context.ts";
import { Client } from "./client.ts";
import { deletions, nothingLeft } from "./deletion-steps.ts";
import type { DemoInput } from "./input.ts";
import { existenceChecks, lateUpdates } from "./look-steps.ts";
import { Meter, type StepFigures } from "./meter.ts";
import { makeProgress, type Progress } from "./progress.ts";
import type { DemoReport } from "./report.ts";
import {
  accessToken,
  alerts,
  assessments,
  checks,
  suspicions,
  transactions,
} from "./send-steps.ts";
import { type DemoServer, serverEnvironment, startServer } from "./server.ts";
import type { Step, World } from "./world.ts";

const steps: readonly Step[] = [
  accessToken,
  transactions,
  checks,
  alerts,
  suspicions,
  assessments,
  lateUpdates,
  existenceChecks,
  deletions,
  nothingLeft,
];

export interface DemoOptions {
  readonly input: DemoInput;
  /** Folder for the store, which then stays. */
  readonly keep: string | undefined;
  readonly stopping: AbortSignal;
}

/** Throws OperatorError at the first thing that is not as promised. */
export async function runDemo(context: Context, options: DemoOptions): Promise<DemoReport> {
  const kept =
    options.keep === undefined ? undefined : await makeEmptyFolder(resolve(options.keep));
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "sluice-demo-")));
  const environment = { ...context.environment, ...serverEnvironment(folder) };
  let server: DemoServer | undefined;
  try {
    server = await startServer(environment);
    const report = await performSteps(context, {
      ...options,
      environment,
      address: server.address,
    });
    await server.stop();
    return { ...report, kept };
  } finally {
    await server?.kill();
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function performSteps(
  context: Context,
  options: DemoOptions & { environment: Context["environment"]; address: string },
): Promise<DemoReport> {
  const { input, stopping, environment, address } = options;
  const { out, err } = context;
  const given = { json: true, as: context.operator };
  const operator = makeContext({ environment, out, err }, given);
  const access = await makeAccess(operator);
  const meter = new Meter();
  const progress = makeProgress(context.err, context.json);
  const world: World = {
    ...access,
    client: new Client(address, { meter, stopping }),
    input,
    stopping,
    advance: (by) => progress.advance(by),
    chosen: [],
    assessmentIds: [],
    deletionMs: [],
  };
  const figures: StepFigures[] = [];
  try {
    for (const step of steps) figures.push(await performStep(step, world, { meter, progress }));
  } finally {
    progress.close();
  }
  return { origin: input.origin, steps: figures, deletionMs: world.deletionMs, kept: undefined };
}

async function performStep(
  step: Step,
  world: World,
  { meter, progress }: { meter: Meter; progress: Progress },
): Promise<StepFigures> {
  const records = step.total(world);
  progress.start(step.name, records);
  const before = performance.now();
  await step.run(world);
  const seconds = (performance.now() - before) / 1_000;
  progress.finish(seconds);
  return meter.take(step.name, { records, seconds });
}

/** Beside the serving process, as `sluice organization create` and `sluice key create` do it. */
function makeAccess(
  operator: Context,
): Promise<Pick<World, "organizationId" | "organizationName" | "apiKey">> {
  return operator.withApp(async (app) => {
    const { organizationId, name } = await createOrganization(app, {
      name: "Demonstration",
      organizationId: "demo",
    });
    const { secret } = await createKey(app, { organizationId, name: "demonstration" });
    return { organizationId, organizationName: name, apiKey: secret };
  });
}

async function makeEmptyFolder(folder: string): Promise<string> {
  makePrivateFolder(folder);
  if ((await readdir(folder)).length === 0) return folder;
  throw new OperatorError(
    "input",
    `${folder} is not empty; name a folder that is, or that does not exist.`,
  );
}
