// `sluice serve`

import { createKey } from "../../actions/access/keys.ts";
import { createOrganization } from "../../actions/access/create-organization.ts";
import { listOrganizations } from "../../actions/access/find-organization.ts";
import { OperatorError, UsageError } from "../../actions/operator/operator-error.ts";
import { sqlitePath } from "../../files/sqlite-path.ts";
import type { Serving } from "../../process/serve.ts";
import {
  type Config,
  describeUnknownSettings,
  expectedOf,
  readConfig,
  settings,
} from "../../settings/config.ts";
import { type Context, defineCommand, type Parameter, replacing } from "../command.ts";
import {
  describeFirstSteps,
  describeProductionSteps,
  type FirstOrganization,
} from "../output/first-steps.ts";
import { awaitStopSignal } from "../stop-signal.ts";
import { disablePretenuring, limitHeap } from "../v8-flags.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Serve the API and process deletions until SIGTERM or SIGINT.",
  details:
    "Creates the store if there is none. If the store has no organization and NODE_ENV is not production, it also creates an " +
    "organization named demo, and prints its API key, only once, with commands to try; in production it prints the commands " +
    "that create an organization, a key and an operator. The first signal stops the server " +
    "after the requests in flight (SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS); a second one ends the delay, or the process at once. " +
    "Where DATABASE_URL is set, it determines where the store is, not --data-dir.",
  examples: [
    "sluice serve",
    "sluice serve --port 9000 --data-dir /var/lib/sluice",
    "HOST=0.0.0.0 PORT=80 DATA_DIR=/var/lib/sluice sluice serve",
  ],
  rights: [],
  options: {
    host: settingOption("host", "ADDRESS", "Address to listen on"),
    port: settingOption("port", "PORT", "Port to listen on, 0 for any free one"),
    dataDir: settingOption("dataDir", "DIR", "Folder of the store, the ledger and the receipt key"),
  },
  run: async (context) => {
    const server = await startServer(context);
    using stopping = awaitStopSignal();
    try {
      const first = await createFirstOrganization(context);
      if (context.json) {
        context.out.write(`${JSON.stringify({ address: server.address, ...first })}\n`);
      } else {
        context.out.write(`Listening on ${server.address}\n`);
        const steps = await describeNext(context, server, first);
        if (steps !== undefined) context.out.write(`\n${steps}\n`);
      }
      await stopping.received;
      server.drain();
      await stopping.delay(readConfig(context.environment).shutdownDelayMs);
    } finally {
      await server.stop();
    }
    return undefined;
  },
});

/** Undefined for a store that has an organization already. */
async function describeNext(
  { environment }: Context,
  { address, app }: Serving,
  first: FirstOrganization | undefined,
): Promise<string | undefined> {
  if (first !== undefined) return describeFirstSteps(address, first);
  if ((await listOrganizations(app)).length > 0) return undefined;
  return describeProductionSteps(address, { environment, program: process.argv.slice(0, 2) });
}

/**
 * On PostgreSQL this thread writes the groups, and their records outlive young collections while the server commits
 * them. Collecting this garbage as often as on SQLite would take half of the processor time of a list. The additional
 * memory is what the writer thread and its page cache use on SQLite.
 */
function garbagePercentOf({ databaseUrl }: Config): number {
  return sqlitePath(databaseUrl) === undefined ? 100 : 30;
}

async function startServer(context: Context): Promise<Serving> {
  const config = readConfig(context.environment);
  limitHeap({ garbagePercent: garbagePercentOf(config) });
  disablePretenuring();
  const module = await import("../../process/serve.ts");
  try {
    return await module.serve(config, { warnings: describeUnknownSettings(context.environment) });
  } catch (cause) {
    throw OperatorError.from("serve", cause);
  }
}

/**
 * Creates an organization in an empty store, to try the service with. Undefined in production and for any other store.
 */
async function createFirstOrganization(context: Context): Promise<FirstOrganization | undefined> {
  if (readConfig(context.environment).production) return undefined;
  return context.withApp(async (app) => {
    if ((await listOrganizations(app)).length > 0) return undefined;
    const organizationId = "demo";
    try {
      await createOrganization(app, { name: "demo", organizationId });
    } catch (error) {
      // Another process that started at the same moment may have created it.
      if ((await listOrganizations(app)).length === 0) throw error;
      return undefined;
    }
    const { key, secret } = await createKey(app, { organizationId, name: "first key" });
    return { organization_id: organizationId, key_id: key.keyId, api_key: secret };
  });
}

/** `meaning` describes the option, without a full stop. */
function settingOption(
  key: keyof Config,
  placeholder: string,
  meaning: string,
): Parameter<string | undefined> {
  const { name } = settings[key];
  const read = (given: string): string => {
    const expected = expectedOf(key, given);
    if (expected !== undefined) throw new UsageError(`It must be ${expected}.`);
    return given;
  };
  return replacing(name, { placeholder, read }, `${meaning}; takes precedence over ${name}.`);
}
