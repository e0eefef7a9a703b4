// Every page and every form of the console by every role: allowed or refused as the table of rights says, and nothing
// is changed by what is refused. The rows are those of the table of routes, so a new one is included.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, beforeEach, describe, it } from "node:test";
import { OperatorError } from "../../src/actions/operator/operator-error.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import type { Person, Route } from "../../src/console/page.ts";
import { routes } from "../../src/process/console-routes.ts";
import { mayDo } from "../../src/domain/operator-right.ts";
import { type Operator, type OperatorRole, operatorRoles } from "../../src/domain/operator.ts";
import { holdPage } from "../../src/noun/hold.ts";
import { keyPage } from "../../src/noun/key.ts";
import { operatorPage } from "../../src/noun/operator.ts";
import { closeForm } from "../../src/noun/organization.ts";
import { proposalPage } from "../../src/noun/proposal.ts";
import { startService } from "../support/service.ts";
import { readAllRows } from "../support/table-content.ts";
import { samples } from "../feature/samples.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";

type PersonalRoute = Extract<Route, { readonly right: unknown }>;

/** Signing out comes last: nothing works after it. */
const personal = routes
  .filter((route): route is PersonalRoute => route.open !== true)
  .toSorted((one, other) => Number(isSignOut(one)) - Number(isSignOut(other)));

const id = "none";

/** Fields that forms of the console have, so that none is refused because one is missing. */
const form: Readonly<Record<string, string>> = {
  confirm: id,
  id,
  organization: id,
  key: "key_none",
  hold: "hold_none",
  session: "ses_none",
  type: "transaction",
  record: id,
  reason: "r",
  name: "n",
  days: "1",
};

function isSignOut({ path }: Route): boolean {
  return path === "/console/sign-out";
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

function allows(role: OperatorRole, { right }: PersonalRoute): boolean {
  return right === "own" || mayDo([role], right);
}

describe("the role matrix of the console", async () => {
  const cookies = new Map<OperatorRole, string>();
  const service = await startService();
  for (const role of operatorRoles) {
    await addOperator(service.app, [role]);
    cookies.set(role, await signIn(service.app, service.client, role));
  }
  after(() => service.stop());
  // The requests of a minute from one address are limited.
  beforeEach(() => service.clock.advanceMs(60_000));

  function allRows(): string {
    const lines = readAllRows(`${service.folder}/sluice.db`).split("\n");
    // How far the ledger is known to reach is noted in the background.
    return lines.filter((line) => !line.startsWith("ledger ")).join("\n");
  }

  function send({ method, path }: Route, cookie: string | undefined, fields = form) {
    const asked = path.replace("/:id", `/${id}`);
    if (method === "GET") return read(service.client, asked, { cookie });
    return submit(service.client, asked, { cookie, form: fields });
  }

  it("does nothing unless the id is typed, wherever an act asks for it", async () => {
    const own = [keyPage, operatorPage, holdPage, proposalPage];
    const pages = [...own, ...samples.flatMap(({ pages: added = [] }) => added)];
    const acts = [closeForm, ...pages.flatMap((page) => page.acts)];
    const rows = allRows();
    for (const { path } of acts.map((act) => act.form).filter(({ confirm }) => confirm)) {
      const route = personal.find((one) => one.method === "POST" && one.path === path);
      const role = operatorRoles.find((one) => route !== undefined && allows(one, route));
      assert.ok(route !== undefined && role !== undefined, path);
      const { status } = await send(route, cookies.get(role), { ...form, confirm: "other" });
      assert.equal(status, 409, path);
    }
    assert.equal(allRows(), rows);
  });

  // Before anything is allowed: a worker goes on with what was requested.
  for (const role of operatorRoles) {
    it(`refuses ${role} what the table of rights does not say`, async () => {
      const rows = allRows();
      for (const route of personal.filter((one) => !allows(role, one))) {
        const { status, text } = await send(route, cookies.get(role));
        assert.equal(status, 403, `${nameOf(route)}: ${status}`);
        assert.match(text, new RegExp(`${role} may not `), nameOf(route));
        // The right comes before the form, of which nothing is read.
        const empty = await send(route, cookies.get(role), {});
        assert.equal(empty.status, 403, `${nameOf(route)}, an empty form: ${empty.status}`);
      }
      assert.equal(allRows(), rows);
    });
  }

  for (const role of operatorRoles) {
    it(`allows ${role} what the table of rights says`, async () => {
      for (const route of personal.filter((one) => allows(role, one))) {
        const { status, text } = await send(route, cookies.get(role));
        assert.ok(status < 500 && status !== 429, `${nameOf(route)}: ${status}`);
        assert.doesNotMatch(text, / may not .*; the role /, nameOf(route));
      }
    });
  }

  it("refuses everything without a session", async () => {
    for (const route of personal) {
      const { status, headers } = await send(route, undefined);
      const expected = route.method === "GET" ? [303, "/console/sign-in"] : [403, undefined];
      assert.deepEqual([status, headers.location], expected, nameOf(route));
    }
  });

  it("is enforced by the actions of every form, whatever the console checks", async () => {
    const nobody: Operator = {
      operatorId: "op_none",
      name: "nobody",
      roles: [],
      createdAt: 0,
      disabledAt: undefined,
    };
    const app = actAs(service.app, nobody);
    for (const route of personal) {
      if (route.method === "GET" || route.right === "own") continue;
      const handled = route.handle(personWith(app, nobody));
      await assert.rejects(handled, isRefusal, nameOf(route));
    }
  });
});

function isRefusal(error: unknown): boolean {
  return error instanceof OperatorError && error.errorName === "not_permitted";
}

/** What a handler reads of a request: the form. */
function personWith(app: Person["app"], operator: Operator): Person {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = Buffer.from(new URLSearchParams(form).toString());
  const raw = Object.assign(Readable.from([body]), { headers, httpVersionMinor: 1 });
  const person = { app, operator, id, query: new URLSearchParams(), request: { headers, raw } };
  return person as unknown as Person;
}
