// The account of the person who has signed in: passkeys and sessions. People with the right see the sessions of others
// here.

import { listPasskeys, removePasskey } from "../../actions/operator/passkey.ts";
import {
  endOwnSession,
  listOwnSessions,
  listSessions,
  revokeSession,
} from "../../actions/operator/session.ts";
import { limits } from "../../domain/limits.ts";
import type { Operator, OperatorSession, Passkey } from "../../domain/operator.ts";
import { jsonReply, type Next, type Person, readJsonBody, redirectTo } from "../page.ts";
import { renderButton } from "../html/field.ts";
import { noSessionCookie } from "../sign-in/cookie.ts";
import { type Column, html, type Html, renderTable } from "../html/html.ts";
import { supportsPasskeys } from "../sign-in/origin.ts";
import { acceptNewPasskey, offerNewPasskey } from "../sign-in/passkey.ts";
import { describePasskey } from "../../noun/operator.ts";
import { renderAgo } from "../html/time.ts";

export async function showAccount(person: Person): Promise<Next> {
  const { app, operator, session } = person;
  const passkeys = await listPasskeys(app, operator);
  const own = await listOwnSessions(app, operator);
  const sessions = own.map((one) => {
    return [one, one.sessionId === session.sessionId ? "this one" : ""] as const;
  });
  const body = html`<p>
      You are <strong><bdi>${operator.name}</bdi></strong
      >, with the role ${operator.roles.join(" and ")}. What you do is in the audit trail under this
      name.
      ${
        operator.unconfirmedSince !== undefined &&
        "Another officer has to confirm you before you can approve anything."
      }
    </p>
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      ${renderOwnPasskeys(passkeys, operator)} ${renderAdding(person)}
    </section>
    <section aria-labelledby="sessions">
      <h2 id="sessions">Your sessions</h2>
      ${renderSessions(sessions, ["End", "/console/account/session/end"])}
    </section>
    ${app.viewer.may("session.list") && (await renderAllSessions(person))}`;
  return { title: "Account", screen: "/console/account", body };
}

const noPasskey = html`<p class="empty">
  You have no passkey yet. Add one now: without it, you need a new link from the server each time.
</p>`;

function renderOwnPasskeys(passkeys: readonly Passkey[], { identity }: Operator): Html | false {
  if (passkeys.length > 0) return renderTable(passkeyColumns, passkeys);
  return identity === undefined && noPasskey;
}

function renderAdding({ origin, operator }: Person): Html {
  if (operator.identity !== undefined) {
    return html`<p>
      You sign in with <bdi>${operator.identity.issuer}</bdi>, which says what your role is; so you
      can't add a passkey.
    </p>`;
  }
  if (!supportsPasskeys(origin)) {
    return html`<p>Passkeys need TLS, or the address <code>localhost</code>.</p>`;
  }
  return html`<p class="filters">
      <label data-passkey-name hidden
        >Its name, such as laptop or security key
        <input maxlength="${limits.nameCharactersMax}" autocomplete="off"
      /></label>
      <button type="button" class="main" data-passkey="add" hidden>Add a passkey</button>
    </p>
    <p role="alert" data-passkey-message></p>
    <p data-without-script>Adding a passkey needs JavaScript.</p>`;
}

const actionHeading = html`<span class="sr">Action</span>`;

const passkeyColumns: readonly Column<Passkey>[] = [
  [
    "Passkey",
    (one) => html`<bdi>${describePasskey(one)}</bdi> <code>${shorten(one.credentialId)}</code>`,
  ],
  ["Added", ({ createdAt }) => renderAgo(createdAt)],
  ["Last used", ({ lastUsedAt }) => renderAgo(lastUsedAt)],
  [actionHeading, renderRemoval],
];

function renderRemoval({ credentialId }: Passkey): Html {
  const label = html`Remove<span class="sr"> passkey ${shorten(credentialId)}</span>`;
  const fields = { credential: credentialId };
  return renderButton(label, "/console/account/passkey/remove", { fields });
}

function shorten(credentialId: string): string {
  return credentialId.slice(0, 12);
}

type SessionRow = readonly [session: OperatorSession, whose: string];

/** The button ends a session; undefined for people who may not. */
function renderSessions(
  rows: readonly SessionRow[],
  button: readonly [verb: string, path: string] | undefined,
): Html {
  const renderEnd = ([{ sessionId }]: SessionRow) => {
    if (button === undefined) return undefined;
    const [verb, path] = button;
    const label = html`${verb}<span class="sr"> session ${sessionId}</span>`;
    return renderButton(label, path, { fields: { session: sessionId } });
  };
  const columns: readonly Column<SessionRow>[] = [
    ["Session", ([{ sessionId }]) => html`<code>${sessionId}</code>`],
    ["Whose", ([, whose]) => html`<bdi>${whose}</bdi>`],
    ["Signed in by", ([{ method }]) => method],
    ["Since", ([{ createdAt }]) => renderAgo(createdAt)],
    ["Until", ([{ expiresAt }]) => renderAgo(expiresAt)],
    [actionHeading, renderEnd],
  ];
  return renderTable(columns, rows);
}

async function renderAllSessions({ app }: Person): Promise<Html> {
  const holders = await listSessions(app);
  const rows = holders.map(({ session, operator: { name } }) => [session, name] as const);
  const mayRevoke = app.viewer.may("session.revoke");
  return html`<section aria-labelledby="all">
    <h2 id="all">Sessions of everybody</h2>
    ${renderSessions(rows, mayRevoke ? ["Revoke", "/console/session/revoke"] : undefined)}
  </section>`;
}

export async function offerPasskeyToAdd(person: Person): Promise<Next> {
  return jsonReply(await offerNewPasskey(person.app, person));
}

export async function addPasskey(person: Person): Promise<Next> {
  await acceptNewPasskey(person.app, person, await readJsonBody(person));
  return jsonReply({ location: "/console/account" });
}

export async function removeOwnPasskey(person: Person, form: URLSearchParams): Promise<Next> {
  await removePasskey(person.app, person.operator, form.get("credential") ?? "");
  return "/console/account";
}

export async function endSession(person: Person, form: URLSearchParams): Promise<Next> {
  const sessionId = form.get("session") ?? "";
  await endOwnSession(person.app, person.operator, sessionId);
  return "/console/account";
}

export async function revokeAnySession(person: Person, form: URLSearchParams): Promise<Next> {
  await revokeSession(person.app, form.get("session") ?? "");
  return "/console/account";
}

export async function signOut(person: Person): Promise<Next> {
  await endOwnSession(person.app, person.operator, person.session.sessionId);
  return redirectTo("/console/sign-in", noSessionCookie(person.origin));
}
