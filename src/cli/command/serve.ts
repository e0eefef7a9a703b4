// `sluice serve`. What it prints for a new store never has a setting that may contain a password.

import { createKey } from "../../actions/access/keys.ts";
import { createOrganization } from "../../actions/access/create-organization.ts";
import { listOrganizations } from "../../actions/access/find-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { sqlitePath } from "../../files/sqlite-path.ts";
import type { Serving } from "../../process/serving.ts";
import { type Config, readConfig } from "../../settings/config.ts";
import { type Context, defineCommand } from "../command.ts";
import { sluice } from "../../basics/program-name.ts";
import { viewError } from "../output/error-view.ts";
import { awaitStopSignal } from "../stop-signal.ts";
import { disablePretenuring, limitHeap } from "../v8-flags.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Serve the API and process deletions until SIGTERM, SIGINT or SIGHUP.",
  details:
    "Creates the store if there is none, and in a store without organizations one named demo, whose API key it prints, only " +
    "once, with commands to try. With NODE_ENV=production it creates neither: run `sluice migrate` first; it then prints the " +
    "commands that create an organization, a key and an operator. The first signal stops the server " +
    "after the requests in flight (SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS); a second one ends the delay, or the process at once.",
  examples: ["sluice serve", "HOST=0.0.0.0 PORT=80 DATA_DIR=/var/lib/sluice sluice serve"],
  rights: [],
  run: async (context) => {
    const server = await startServer(context);
    using stopping = awaitStopSignal();
    let graceMs: number | undefined;
    try {
      const first = await orSayWhy(context, createFirstOrganization(context, server));
      if (context.json) {
        context.out.write(`${JSON.stringify({ address: server.address, ...first })}\n`);
      } else {
        context.out.write(`Listening on ${server.address}\n`);
        const steps = await orSayWhy(context, describeNext(context, server, first));
        if (steps !== undefined) context.out.write(`\n${steps}\n`);
      }
      const ended = await Promise.race([stopping.received, server.replaced]);
      if (ended instanceof OperatorError) {
        graceMs = 0;
        throw ended;
      }
      server.drain();
      await stopping.delay(readConfig(context.environment).shutdownDelayMs);
    } finally {
      await server.stop(graceMs);
    }
    return undefined;
  },
});

/** The server answers requests by now, and goes on without what it would print for a new store. */
async function orSayWhy<Hint>({ err }: Context, hint: Promise<Hint>): Promise<Hint | undefined> {
  try {
    return await hint;
  } catch (error) {
    err.write(`sluice: The first steps can't be shown. ${viewError(error).message}\n`);
    return undefined;
  }
}

/** Undefined for a store that has an organization already. */
async function describeNext(
  { environment, table }: Context,
  { address, app }: Serving,
  first: FirstOrganization | undefined,
): Promise<string | undefined> {
  const server = { address, exported: exportOf(environment, address) };
  if (first !== undefined) {
    const { commands } = await table.load();
    const hints = commands.flatMap(({ name, forNewcomers: text }) =>
      text === undefined ? [] : [`\`${sluice} ${name}\` ${text}`],
    );
    return [describeFirstSteps(server, first), ...hints].join("\n");
  }
  if ((await listOrganizations(app)).length > 0) return undefined;
  return describeProductionSteps(server);
}

/**
 * On PostgreSQL this thread writes the groups, and their records outlive young collections while the server commits
 * them. Collecting this garbage as often as on SQLite would take half of the processor time of a list. The additional
 * memory is what the writer thread and its page cache use on SQLite.
 */
function garbagePercentOf({ databaseUrl }: Config): number {
  return sqlitePath(databaseUrl) === undefined ? 100 : 30;
}

/** In a terminal, people read the sentences; elsewhere, and in production, programs read the log. */
export function logLevelOf(
  { environment, err }: Pick<Context, "environment" | "err">,
  { production, logLevel }: Pick<Config, "production" | "logLevel">,
): string {
  const isChosen = production || (environment["LOG_LEVEL"] ?? "") !== "";
  return err.isTTY === true && !isChosen ? "warn" : logLevel;
}

async function startServer(context: Context): Promise<Serving> {
  const { environment, table } = context;
  const given = readConfig(environment, table.settings);
  const config = { ...given, logLevel: logLevelOf(context, given) };
  limitHeap({ garbagePercent: garbagePercentOf(config) });
  disablePretenuring();
  const module = await import("../../process/serve.ts");
  try {
    return await module.serve(config);
  } catch (cause) {
    throw OperatorError.from("serve", cause);
  }
}

/**
 * Creates an organization in an empty store, to try the service with. Undefined in production and for any other store.
 */
async function createFirstOrganization(
  { environment }: Context,
  { app }: Serving,
): Promise<FirstOrganization | undefined> {
  if (readConfig(environment).production) return undefined;
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
}

interface FirstOrganization {
  readonly organization_id: string;
  readonly key_id: string;
  readonly api_key: string;
}

interface Started {
  readonly address: string;
  /** Lines of a shell by which commands find the same store, and the console; empty if they need none. */
  readonly exported: string;
}

function describeFirstSteps({ address, exported }: Started, first: FirstOrganization): string {
  const { organization_id: organizationId, api_key: apiKey } = first;
  return `The store is new. Created an organization "${organizationId}" with an API key.
Keep the key, because Sluice can't show it again:

    ${apiKey}

Paste these commands into another shell to try it; Ctrl-C here stops the server.

# Exchange the key for an access token that is valid for an hour
TOKEN=$(curl -sS -X POST ${address}/auth/token \\
  -H 'Authorization: ${apiKey}' -H 'Content-Type: application/json' \\
  -d '{"expiry_seconds": 3600, "scopes": {"organization_id": "${organizationId}", "scopes": ["transactions:write"]}}' \\
  | sed -n 's/.*"token": *"\\([^"]*\\)".*/\\1/p')

# Send a transaction
curl -sS -w '\\n' -X POST ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "type": "DEPOSIT", "method": "SEPA", "amount": 1250.5, "currency": "EUR", "status": "SETTLED", "sender_id": "person-81", "sender_country": "DE", "timestamp": "2026-01-31T09:30:00Z"}'

# Check that it exists
curl -sS -w '\\n' '${address}/v2/transaction?tx_id=tx-1' -H "Authorization: Bearer $TOKEN"

# Delete it permanently
curl -sS -w '\\n' -X DELETE ${address}/v2/transaction \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"tx_id": "tx-1", "reason": "trying Sluice"}'

API reference: ${address}/docs
${exported === "" ? "" : `Before other commands: ${exported}`}Console: run \`${sluice} operator create NAME --role operator\`, and open the link that \`${sluice} operator link NAME\` prints.
\`${sluice} organization create\` and \`${sluice} key create\` create organizations and keys.`;
}

/** What the commands need to find the same store, and the console. */
const neededSettings = [
  "DATABASE_URL",
  "DATABASE_URL_FILE",
  "DATA_DIR",
  "CONSOLE_URL",
  "PORT",
] as const;

const setSecret =
  "# DATABASE_URL has to be set as for this server; it is not shown, because it may contain a password";

function exportOf(environment: Context["environment"], address: string): string {
  const { DATABASE_URL: url } = environment;
  const isSecret = url !== undefined && sqlitePath(url) === undefined;
  const given = neededSettings.flatMap((name) => {
    const value = environment[name];
    if (value === undefined || (isSecret && name === "DATABASE_URL")) return [];
    // PORT=0 takes any free port.
    return [` ${name}=${quote(name === "PORT" ? new URL(address).port || "80" : value)}`];
  });
  const line = given.length === 0 ? "" : `export${given.join("")}\n`;
  return isSecret ? `${line}${setSecret}\n` : line;
}

function describeProductionSteps({ address, exported }: Started): string {
  const program = process.argv.slice(0, 2).map(quote).join(" ");
  return `The store has no organization yet. Paste these commands into a shell of the same user, with the same settings,
and with your own names.

# An organization, and an API key for its programs; the key is shown only once
${exported}${program} organization create --name 'My organization' --id my-organization
${program} key create --organization my-organization

# A person who operates the service, and a link for signing in to the console
${program} operator create anna --role operator
${program} operator link anna

API reference: ${address}/docs`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
