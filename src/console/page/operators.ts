// Operators: the list, and one operator with the forms of administrators and officers: create, link, disable, confirm.
// A sign-in link is shown once.

import {
  confirmOperator,
  createOperator,
  disableOperator,
  listPeople,
  type SeenOperator,
} from "../../actions/operator/operators.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { createSignInLink } from "../../actions/operator/sign-in-link.ts";
import { type Operator, operatorRoles, type Passkey } from "../../domain/operator.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { renderConfirmation, whenTyped } from "../html/confirmation.ts";
import { readText, renderButton, renderInput } from "../html/field.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { describePasskey } from "./account.ts";
import { pathTo } from "../html/link.ts";
import { renderChip } from "../html/chip.ts";
import { formatNumber, renderAgo, renderTime } from "../html/time.ts";
import { type Person, readForm, redirectTo, showPage } from "../page.ts";

const screen = "/console/operators";

function describeState({ disabledAt, unconfirmedSince }: Operator): string {
  if (disabledAt !== undefined) return "disabled";
  return unconfirmedSince === undefined ? "active" : "officer not confirmed";
}

function renderState(operator: Operator): Html {
  const { disabledAt, unconfirmedSince } = operator;
  const meaning = unconfirmedSince === undefined ? "good" : "wait";
  return renderChip(disabledAt === undefined ? meaning : "over", describeState(operator));
}

/** The issuer, and the kinds of authenticators of the passkeys, according to browsers. */
function describeWays({ keys, identity }: SeenOperator): Html {
  const ways = [...(identity === undefined ? [] : [identity.issuer]), ...keys.map(describePasskey)];
  return html`<bdi>${ways.join(", ") || "links only"}</bdi>`;
}

export async function showOperators(person: Person): Promise<Answer> {
  const operators = await listPeople(person.app);
  const table = renderTable<SeenOperator>(
    [
      [
        "Name",
        ({ name }) => html`<a href="${pathTo("operator", name)}"><bdi>${name}</bdi></a>`,
        "bare",
      ],
      ["Roles", ({ roles }) => roles.join(", ")],
      ["State", renderState],
      ["Last sign-in", ({ lastSignIn: at }) => (at === undefined ? "unknown" : renderAgo(at))],
      ["Signs in with", describeWays],
      ["Sessions", ({ sessions }) => formatNumber(sessions), "number"],
      ["Created", ({ createdAt }) => renderAgo(createdAt)],
    ],
    operators,
  );
  const note = html`<p class="note">
    The last sign-in is known from sessions, which last 12 hours, and from passkeys; the
    <a href="/console/audit?action=operator.sign_in">audit trail</a> has all of them.
  </p>`;
  const body = html`${table} ${note} ${person.app.viewer.may("operator.create") && creating}`;
  return showPage(person, { title: "Operators", screen, body });
}

const creating = html`<section aria-labelledby="create">
  <h2 id="create">Create an operator</h2>
  <p>
    The name is the actor in the audit trail, and can't be changed. The role officer has no effect
    before another officer has confirmed the person.
  </p>
  <form class="settings" method="post" action="${screen}">
    ${renderInput("Name", "name", { maxlength: 100, required: true, autocomplete: "off" })}
    <fieldset>
      <legend>Roles</legend>
      ${operatorRoles.map(
        (role) =>
          html`<label><input type="checkbox" name="role" value="${role}" /> ${role}</label>`,
      )}
    </fieldset>
    <button type="submit">Create the operator</button>
  </form>
</section>`;

export async function showOperator(person: Person): Promise<Answer> {
  const { app, id } = person;
  const operator = (await listPeople(app)).find(({ name }) => name === id);
  if (operator === undefined) {
    throw new OperatorError("no_such_operator", `There is no operator "${id}".`);
  }
  const body = html`${renderFacts([
    ["Roles", operator.roles.join(", ")],
    [
      "Last sign-in",
      operator.lastSignIn === undefined ? "unknown" : renderTime(operator.lastSignIn),
    ],
    ["Passkeys", renderPasskeys(operator.keys)],
    ["Sessions", formatNumber(operator.sessions)],
    ["Created", renderTime(operator.createdAt)],
  ])}
  ${operator.disabledAt === undefined && renderActs(person, operator)}`;
  const aside = renderState(operator);
  return showPage(person, { title: `Operator ${operator.name}`, screen, body, aside });
}

function renderPasskeys(keys: readonly Passkey[]): Html {
  if (keys.length === 0) return html`none`;
  return html`<ul>
    ${keys.map(
      (key) =>
        html`<li>
          <bdi>${describePasskey(key)}</bdi>, added ${renderAgo(key.createdAt)}, last used
          ${renderAgo(key.lastUsedAt)}
        </li>`,
    )}
  </ul>`;
}

function renderActs({ app }: Person, { name, roles, unconfirmedSince }: Operator): Html {
  const { viewer } = app;
  const again =
    roles.includes("officer") && "Another officer then has to confirm this person again.";
  return html`${
    unconfirmedSince !== undefined &&
    viewer.may("operator.confirm") &&
    renderConfirmation({
      verb: "Confirm",
      what: "operator",
      path: pathTo("operator-confirmation", name),
      effect:
        "This person can then act as an officer and approve what others have proposed. Confirm only somebody who has told " +
        "you in person that the passkeys and sessions above are their own.",
    })
  }
  ${
    viewer.may("operator.link") &&
    html`<section aria-labelledby="link">
      <h2 id="link">Sign-in link</h2>
      <p>It works once, for ten minutes, and replaces an earlier one. ${again}</p>
      ${renderButton("Create a sign-in link", pathTo("operator-link", name))}
    </section>`
  }
  ${
    viewer.may("operator.disable") &&
    renderConfirmation({
      verb: "Disable",
      what: "operator",
      path: pathTo("operator-end", name),
      effect:
        "For good: all sessions, passkeys and links end at once, and the name can't be used again.",
    })
  }`;
}

export async function createOneOperator(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const given = form.getAll("role");
  const roles = operatorRoles.filter((role) => given.includes(role));
  const { name } = await createOperator(person.app, { name: readText(form, "name") ?? "", roles });
  return redirectTo(pathTo("operator", name));
}

export async function linkOneOperator(person: Person): Promise<Answer> {
  await readForm(person);
  const { operator, secret, expiresAt } = await createSignInLink(person.app, person.id);
  const body = html`<section>
    <p role="status">
      This is the only time that the link is shown. Pass it to <bdi>${operator.name}</bdi> where
      nobody else reads it; it works once, until ${renderTime(expiresAt)}.
    </p>
    <pre><code>${person.origin.text}/console/link?token=${secret}</code></pre>
    <p><a href="${pathTo("operator", operator.name)}">To the operator</a></p>
  </section>`;
  return showPage(person, { title: "Sign-in link", screen, body });
}

export const disableOneOperator = whenTyped("operator", disableOperator);
export const confirmOneOperator = whenTyped("operator", confirmOperator);
