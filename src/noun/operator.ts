// Operators: their values, the commands `sluice operator …` but `link`, and the pages of all and of a single one. A
// sign-in link is shown once.

import {
  confirmOperator,
  createOperator,
  disableOperator,
  listOperators,
  listPeople,
  type OperatorDetails,
  readPerson,
  type SeenOperator,
} from "../actions/operator/operators.ts";
import { createSignInLink } from "../actions/operator/sign-in-link.ts";
import { required, several } from "../cli/command.ts";
import { choice, text } from "../cli/input/kinds.ts";
import { formatTime, renderFields } from "../cli/output/table.ts";
import { renderChip } from "../console/html/chip.ts";
import { type Html, html, renderFacts } from "../console/html/html.ts";
import { pathTo, renderTrail } from "../console/html/link.ts";
import { formatNumber, renderAgo, renderTime } from "../console/html/time.ts";
import { type Operator, operatorRoles, type Passkey } from "../domain/operator.ts";
import {
  defineAct,
  defineForm,
  defineList,
  type NounPage,
  renderForm,
  renderForms,
} from "./act.ts";
import { defineNoun, idValue, type Value } from "./noun.ts";
import { sluice } from "../basics/program-name.ts";

const screen = "/console/operators";

const values: Readonly<Record<string, Value<OperatorDetails>>> = {
  roles: { text: ({ roles }) => roles.join(", ") },
  status: {
    text: ({ disabledAt, unconfirmedSince }) => {
      if (disabledAt !== undefined) return `disabled ${formatTime(disabledAt)}`;
      return unconfirmedSince === undefined ? "active" : "not confirmed";
    },
    html: renderState,
  },
  passkeys: { kind: "number" },
  sessions: { html: ({ sessions }) => formatNumber(sessions), kind: "number" },
};

const operators = defineNoun<OperatorDetails>({
  values,
  json: "name, roles, createdAt, disabledAt, unconfirmedSince, passkeys, sessions",
  columns: "name: operator, roles, status, passkeys, sessions, createdAt",
});

const changed = defineNoun<Operator>({
  values: {},
  json: "name, roles, createdAt, disabledAt, unconfirmedSince",
});

const people = defineNoun<SeenOperator>({
  values: {
    ...values,
    name: idValue("operator", "name", ({ name }) => name),
    roles: { kind: "text" },
    lastSignIn: {
      kind: "text",
      html: ({ lastSignIn: at }) => (at === undefined ? "unknown" : renderAgo(at)),
      fact: ({ lastSignIn: at }) => (at === undefined ? "unknown" : renderTime(at)),
    },
    keys: { html: describeWays, fact: ({ keys }) => renderPasskeys(keys), kind: "text" },
  },
  headings:
    "name, roles, status: State, lastSignIn: Last sign-in, keys: Signs in with, sessions, createdAt",
  facts: "roles, lastSignIn: Last sign-in, keys: Passkeys, sessions, createdAt",
});

function renderState({ disabledAt, unconfirmedSince }: Operator): Html {
  if (disabledAt !== undefined) return renderChip("over", "disabled");
  if (unconfirmedSince !== undefined) return renderChip("wait", "officer not confirmed");
  return renderChip("good", "active");
}

/** The issuer, and the kinds of authenticators of the passkeys, according to browsers. */
function describeWays({ keys, identity }: SeenOperator): Html {
  const ways = [...(identity === undefined ? [] : [identity.issuer]), ...keys.map(describePasskey)];
  return html`<bdi>${ways.join(", ") || "links only"}</bdi>`;
}

/** The name that its owner gave it, and the kind of its authenticator, according to the browser. */
export function describePasskey(passkey: Passkey): string {
  const kind = describeKind(passkey);
  return passkey.name === "" ? kind : `${passkey.name} (${kind})`;
}

function describeKind({ transports }: Passkey): string {
  if (transports.includes("internal")) return "built into a device";
  if (transports.includes("hybrid")) return "a phone or tablet";
  return transports.length === 0 ? "a passkey" : "a security key";
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

function describe({ name, roles, disabledAt, unconfirmedSince }: Operator): string {
  return renderFields([
    ["operator", name],
    ["roles", roles.join(", ")],
    ["disabled", disabledAt === undefined ? undefined : formatTime(disabledAt)],
    [
      "officer",
      unconfirmedSince === undefined ? undefined : "not confirmed by another officer yet",
    ],
  ]);
}

export const operatorCreate = defineAct({
  name: "operator create",
  summary: "Create an operator: a person who uses the console, or is named with --as.",
  details:
    "The name is the actor in the audit trail. It can't be changed, and can't be used again for somebody else. What each role " +
    "may do is in docs/reference/operator-rights.md; a person with several roles may do what any of them may.",
  examples: [
    "sluice operator create anna --role officer",
    'sluice operator create "Zoë Müller" --role viewer --role auditor',
  ],
  rights: ["operator.create"],
  arguments: { name: required(text("NAME"), "Name of the person.") },
  options: {
    role: several(
      choice("ROLE", operatorRoles),
      `Role of the person, one of ${operatorRoles.join(", ")}; may be repeated.`,
    ),
  },
  act: (app, { name, role: roles }) => createOperator(app, { name, roles }),
  json: changed.json,
  said: (operator) =>
    `${describe(operator)}\n\n` +
    `Next, create a link by which this person signs in: ${sluice} operator link ${quote(operator.name)}`,
  form: {
    path: screen,
    heading: "Create an operator",
    folded: true,
    text:
      "The name is the actor in the audit trail, and can't be changed. The role officer has no effect before another officer " +
      "has confirmed the person.",
    fields: {
      name: { label: "Name", maxlength: 100, required: true, autocomplete: "off" },
      role: { label: "Roles", boxes: operatorRoles.map((role) => [role, role]) },
    },
    next: ({ name }) => pathTo("operator", name),
  },
});

function quote(name: string): string {
  return name.includes(" ") ? `"${name}"` : name;
}

export const operatorList = defineList({
  name: "operator list",
  plural: "operators",
  summary: "List operators with their roles, passkeys and sessions.",
  examples: ["sluice operator list"],
  rights: ["operator.read"],
  rows: operators,
  find: listOperators,
  none: `There is no operator yet. Create one with: ${sluice} operator create NAME --role ROLE`,
});

const named = { name: required(text("NAME"), "The operator.") };

export const operatorDisable = defineAct({
  name: "operator disable",
  summary: "Disable an operator for good. Sessions end at once.",
  details:
    "Passkeys and sign-in links of the operator stop working, and so does --as with the name. The name stays in the audit trail " +
    "and can't be used again.",
  examples: ["sluice operator disable anna"],
  rights: ["operator.disable"],
  arguments: named,
  act: (app, { name }) => disableOperator(app, name),
  json: changed.json,
  said: describe,
  form: {
    path: "/console/operator-end/:id",
    heading: "Disable",
    text: "For good: all sessions, passkeys and links end at once, and the name can't be used again.",
    confirm: "operator",
  },
});

export const operatorConfirm = defineAct({
  name: "operator confirm",
  summary: "Confirm an officer whom an administrator has created.",
  details:
    "Needs --as NAME, of an officer who was confirmed before, and has created neither this one nor the last sign-in link. Until then the role " +
    "officer has no effect. Confirm only somebody who has told you in person that the passkeys and sessions in `operator list` are their own.",
  examples: ["sluice operator confirm ben --as anna"],
  rights: ["operator.confirm"],
  arguments: named,
  act: (app, { name }) => confirmOperator(app, name),
  json: changed.json,
  said: describe,
  form: {
    path: "/console/operator-confirmation/:id",
    heading: "Confirm",
    text:
      "This person can then act as an officer and approve what others have proposed. Confirm only somebody who has told " +
      "you in person that the passkeys and sessions above are their own.",
    confirm: "operator",
  },
});

/** On the command line, the address of the console is a setting. */
const linkForm = defineForm({
  rights: ["operator.link"],
  arguments: named,
  act: (app, { name }) => createSignInLink(app, name),
  form: {
    path: "/console/operator-link/:id",
    heading: "Sign-in link",
    button: "Create a sign-in link",
    next: ({ operator, secret, expiresAt }, { origin }) => {
      const body = html`<section>
        <p role="status">
          This is the only time that the link is shown. Pass it to <bdi>${operator.name}</bdi> where
          nobody else reads it; it works once, until ${renderTime(expiresAt)}.
        </p>
        <pre><code>${origin.text}/console/link?token=${secret}</code></pre>
        <p><a href="${pathTo("operator", operator.name)}">To the operator</a></p>
      </section>`;
      return { title: "Sign-in link", screen, body };
    },
  },
});

export const operatorsPage: NounPage = {
  acts: [operatorCreate],
  view: async ({ app }) => {
    const note = html`<p class="note">
      The last sign-in is known from sessions, which last 12 hours, and from passkeys; the
      ${renderTrail(app, "?action=operator.sign_in")} has all of them.
    </p>`;
    const body = html`${people.list(await listPeople(app), app)} ${note}
    ${renderForms(app, operatorsPage.acts, "")}`;
    return { title: "Operators", screen, body };
  },
};

export const operatorPage: NounPage = {
  acts: [operatorConfirm, linkForm, operatorDisable],
  view: async ({ app, id }) => {
    const operator = await readPerson(app, id);
    const { roles, disabledAt, unconfirmedSince } = operator;
    const confirming = unconfirmedSince === undefined ? [] : [operatorConfirm];
    const again =
      roles.includes("officer") && "Another officer then has to confirm this person again.";
    const link = html`It works once, for ten minutes, and replaces an earlier one. ${again}`;
    const acts = html`${renderForms(app, confirming, id)}
    ${app.viewer.may("operator.link") && renderForm(linkForm, id, { text: link })}
    ${renderForms(app, [operatorDisable], id)}`;
    const body = html`${renderFacts(people.facts(operator, app))}
    ${disabledAt === undefined && acts}`;
    return { title: `Operator ${id}`, screen, body, aside: renderState(operator) };
  },
};
