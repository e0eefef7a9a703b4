// The service with people who have signed in, for a group of tests. They read pages and send forms within their roles.

import { after, before } from "node:test";
import type { OperatorRole } from "../../src/domain/operator.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";

interface Preparing extends ServiceOptions {
  /** Runs before anybody signs in. */
  readonly prepare?: (service: Service) => Promise<unknown>;
}

type Form = Readonly<Record<string, string>>;

/** For people who are named after their role. */
export function eachRole(roles: readonly OperatorRole[]): Readonly<Record<string, OperatorRole[]>> {
  return Object.fromEntries(roles.map((role) => [role, [role]]));
}

/** Call in the function of the group. `people`: their roles by name. */
export function signInPeople(
  people: Readonly<Record<string, readonly OperatorRole[]>>,
  { prepare, ...options }: Preparing = {},
) {
  let started: Service | undefined;
  const running = (): Service => {
    if (started === undefined) throw new Error("the service runs only during the tests");
    return started;
  };
  const cookies: Record<string, string> = {};
  /** Signs in again. The attempts of a minute from one address are limited. */
  const enter = async (name: string) => {
    const { app, client, clock } = running();
    clock.advanceMs(60_000);
    cookies[name] = await signIn(app, client, name);
  };
  before(async () => {
    started = await startService(options);
    await prepare?.(started);
    for (const [name, roles] of Object.entries(people)) {
      await addOperator(started.app, roles, name);
      await enter(name);
    }
  });
  after(() => running().stop());
  return {
    get service() {
      return running();
    },
    cookies,
    enter,
    /** The path is below `/console/`. */
    show: (name: string, path: string) =>
      read(running().client, `/console/${path}`, { cookie: cookies[name] }),
    send: (name: string, path: string, form: Form = {}) =>
      submit(running().client, `/console/${path}`, { cookie: cookies[name], form }),
  };
}
