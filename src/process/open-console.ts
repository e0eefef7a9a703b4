// Opens the console: what it shows besides the store, and how it is mounted on the HTTP server.

import type { App } from "../actions/app.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type Config, readConfig, settings } from "../settings/config.ts";
import { mountConsole } from "../console/console.ts";
import { ArrivingForms } from "../console/request/arriving-forms.ts";
import { makeOpenId, type OpenId } from "../console/sign-in/openid/provider.ts";
import type { OpenService } from "../feature/feature.ts";
import type { HttpContext } from "../http/http-context.ts";
import { isExistenceCheck } from "../http/operation.ts";
import type { ServerOptions } from "../http/server.ts";
import type { Logger } from "../log.ts";
import { startHistory } from "../metrics/history.ts";
import type { RefusalHistory } from "../metrics/refusals.ts";
import { panels, routes, tasks } from "./console-routes.ts";
import { allActions, allErrors } from "./tables.ts";
import { operations } from "./operations.ts";
import { version } from "./version.ts";
import { describeServers } from "../files/postgres-urls.ts";
import type { Setting } from "../settings/setting.ts";

/** Leaves out operations on confidential types: not even the number of their requests is shown. */
const shownOperations: ReadonlySet<string> = new Set(
  operations.filter(({ type }) => type?.confidential !== true).map(({ name }) => name),
);

const existenceChecks: ReadonlySet<string> = new Set(
  operations.filter(isExistenceCheck).map(({ name }) => name),
);

export interface ConsoleParts {
  readonly app: App;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly refusals: RefusalHistory;
  readonly services: readonly OpenService[];
}

export function openConsole(
  { app, config, log, metrics, refusals, services }: ConsoleParts,
  context: HttpContext,
  opened: AsyncDisposableStack,
): ServerOptions["mount"] {
  const { consoleUrl: url } = config;
  const history = startHistory(() => metrics.intakeTotals(), {
    now: app.now,
    operations: shownOperations,
    existenceChecks,
  });
  opened.defer(() => history.stop());
  const sources = {
    tasks,
    panels,
    errors: Object.values(allErrors),
    actions: allActions,
    history,
    refusals,
    forms: new ArrivingForms(),
    opened: services.flatMap(({ source }) => source ?? []),
    openId: openIssuer(config, { now: app.now, log }),
    process: {
      version,
      node: process.versions.node,
      startedAt: app.now(),
      settings: showSettings(config),
      readMetrics: () => metrics.snapshot(),
    },
  };
  return (server) => mountConsole(server, context, { url, sources, routes });
}

function openIssuer(
  { oidcIssuer, oidcClientId, ...config }: Config,
  { now, log }: { readonly now: () => number; readonly log: Logger },
): OpenId | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  return makeOpenId({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    scope: config.oidcScope,
    roles: { claim: config.oidcRolesClaim, mapping: config.oidcRoles },
    now,
    onFailure: (reason) => log.warn({ reason }, "a sign-in with OpenID Connect failed"),
  });
}

// The effective settings in a form that people may see: never a secret, and never the user or password of a URL.

interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly isDefault: boolean;
  readonly summary: string;
}

/** A name with such an ending means a secret, so that a new setting is hidden without being listed here. */
const secret = /_(?:TOKEN|HEADERS|SECRET|PASSWORD|CREDENTIALS?)$/;
const address = /_(?:URL|URI|ENDPOINT|ISSUER)$/;

export function showSettings(config: Config): readonly ShownSetting[] {
  const usual = readConfig({});
  const own = Object.entries(settings).map(([name, item]) => {
    const key = name as keyof typeof settings;
    return showSetting(item, config[key], usual[key]);
  });
  const added = [...config.added].map(([item, value]) =>
    showSetting(item, value, item.read(item.fallback)),
  );
  return [...own, ...added];
}

function showSetting(
  { name, fallback, summary }: Setting<unknown>,
  value: unknown,
  usual: unknown,
): ShownSetting {
  const isDefault = JSON.stringify(usual) === JSON.stringify(value);
  return { name, value: show(name, value, fallback), isDefault, summary };
}

/** The text that is shown if there is no value. */
const empty: ReadonlySet<unknown> = new Set([undefined, '""', "{}", "[]"]);

function show(name: string, value: unknown, fallback: string): string {
  if (empty.has(JSON.stringify(value))) return "not set";
  if (secret.test(name)) return "set, not shown";
  if (typeof value === "boolean") return showBoolean(value, fallback);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return address.test(name) || text.includes("://") ? withoutCredentials(text) : text;
}

function showBoolean(value: boolean, fallback: string): string {
  if (fallback === "true" || fallback === "false") return String(value);
  if (fallback === "on" || fallback === "off") return value ? "on" : "off";
  return value ? "production" : "development or test";
}

/** Removes the query too, which may contain a password. */
function withoutCredentials(text: string): string {
  if (text.startsWith("sqlite:")) return text;
  const place = describeServers(text);
  return place === undefined ? "set, not shown" : `${text.split(":", 1)[0]}://${place}`;
}
