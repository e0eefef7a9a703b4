// Opens the console: what it shows besides the store, and how it is mounted on the HTTP server.

import type { App } from "../actions/app.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Config } from "../settings/config.ts";
import { mountConsole } from "../console/console.ts";
import { ArrivingForms } from "../console/request/arriving-forms.ts";
import { makeOpenId, type OpenId } from "../console/sign-in/openid/provider.ts";
import type { OpenService } from "../feature/feature.ts";
import type { HttpContext } from "../http/http-context.ts";
import { isExistenceCheck } from "../http/operation.ts";
import type { ServerOptions } from "../http/server.ts";
import type { Logger } from "../log.ts";
import { startHistory } from "../metrics/history.ts";
import { panels, routes, tasks } from "./console-routes.ts";
import { allActions } from "./tables.ts";
import { operations } from "./operations.ts";
import { version } from "./version.ts";

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
  readonly services: readonly OpenService[];
}

export function openConsole(
  { app, config, log, metrics, services }: ConsoleParts,
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
    actions: allActions,
    history,
    forms: new ArrivingForms(),
    opened: services.flatMap(({ source }) => source ?? []),
    openId: openIssuer(config, { now: app.now, log }),
    process: {
      version,
      node: process.versions.node,
      startedAt: app.now(),
      readFigures: () => metrics.processFigures(),
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
    onFailure: (why) => log.warn({ why }, "a sign-in with OpenID Connect failed"),
  });
}
