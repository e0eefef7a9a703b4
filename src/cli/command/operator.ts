// `sluice operator …`: the commands about operators. Never prints a secret, except a sign-in link, once.

import {
  confirmOperator,
  createOperator,
  disableOperator,
  listOperators,
  type OperatorDetails,
} from "../../actions/operator/operators.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { createSignInLink } from "../../actions/operator/sign-in-link.ts";
import { type Operator, operatorRoles } from "../../domain/operator.ts";
import { type Config, readConfig } from "../../settings/config.ts";
import { type Context, defineCommand, defineStoreCommand, required, several } from "../command.ts";
import { choice, text } from "../input/kinds.ts";
import { type Column, formatTime, renderFields, renderTable, timeOrNull } from "../output/table.ts";

export const operatorCreate = defineStoreCommand({
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
  run: async (app, { name, role }) => {
    const operator = await createOperator(app, { name, roles: role });
    return {
      json: viewOperator(operator),
      text:
        `${describeOperator(operator)}\n\n` +
        `Next, create a link by which this person signs in: sluice operator link ${quote(name)}`,
    };
  },
});

function quote(name: string): string {
  return name.includes(" ") ? `"${name}"` : name;
}

export const operatorList = defineStoreCommand({
  name: "operator list",
  summary: "List operators with their roles, passkeys and sessions.",
  examples: ["sluice operator list"],
  rights: ["operator.read"],
  run: async (app, _, { paint }) => {
    const operators = await listOperators(app);
    return {
      json: {
        operators: operators.map(({ passkeys, sessions, ...operator }) => ({
          ...viewOperator(operator),
          passkeys,
          sessions,
        })),
      },
      text:
        operators.length === 0
          ? "There is no operator yet. Create one with: sluice operator create NAME --role ROLE"
          : renderTable(operatorColumns, operators, paint),
    };
  },
});

export const operatorDisable = defineStoreCommand({
  name: "operator disable",
  summary: "Disable an operator for good. Sessions end at once.",
  details:
    "Passkeys and sign-in links of the operator stop working, and so does --as with the name. The name stays in the audit trail " +
    "and can't be used again.",
  examples: ["sluice operator disable anna"],
  rights: ["operator.disable"],
  arguments: { name: required(text("NAME"), "The operator.") },
  run: async (app, { name }) => {
    const operator = await disableOperator(app, name);
    return { json: viewOperator(operator), text: describeOperator(operator) };
  },
});

export const operatorConfirm = defineStoreCommand({
  name: "operator confirm",
  summary: "Confirm an officer whom an administrator has created.",
  details:
    "Needs --as NAME, of an officer who was confirmed before, and has created neither this one nor the last sign-in link. Until then the role " +
    "officer has no effect. Confirm only somebody who has told you in person that the passkeys and sessions in `operator list` are their own.",
  examples: ["sluice operator confirm ben --as anna"],
  rights: ["operator.confirm"],
  arguments: { name: required(text("NAME"), "The operator.") },
  run: async (app, { name }) => {
    const operator = await confirmOperator(app, name);
    return { json: viewOperator(operator), text: describeOperator(operator) };
  },
});

export const operatorLink = defineCommand({
  name: "operator link",
  summary: "Create a link by which an operator signs in to the console, once.",
  details:
    "The link is valid for ten minutes, and replaces an earlier one that was not used. After signing in, the person can " +
    "register a passkey, and then needs no further link. The link begins with CONSOLE_URL, or with localhost and PORT where that " +
    "is not set.",
  examples: ["sluice operator link anna"],
  rights: ["operator.link"],
  arguments: { name: required(text("NAME"), "The operator.") },
  run: async (context, { name }) => {
    const config = readEnabled(context);
    const { operator, secret, expiresAt } = await context.withApp((app) =>
      createSignInLink(app, name),
    );
    const url = `${consoleUrlOf(config)}/console/link?token=${secret}`;
    return {
      json: { name: operator.name, url, expires_at: formatTime(expiresAt) },
      text: `${url}\n\n${operator.name} can sign in with this link once, until ${formatTime(expiresAt)}.`,
    };
  },
});

function readEnabled({ environment }: Context): Config {
  const config = readConfig(environment);
  if (!config.console) throw new UsageError("The console is disabled (CONSOLE=off).");
  return config;
}

/** Browsers accept passkeys on localhost without TLS, and never on an address. */
function consoleUrlOf({ consoleUrl, port }: Config): string {
  return consoleUrl ?? `http://localhost:${port}`;
}

function viewOperator(operator: Operator) {
  return {
    name: operator.name,
    roles: operator.roles,
    created_at: formatTime(operator.createdAt),
    disabled_at: timeOrNull(operator.disabledAt),
    unconfirmed_since: timeOrNull(operator.unconfirmedSince),
  };
}

function describeOperator({ name, roles, disabledAt, unconfirmedSince }: Operator): string {
  return renderFields([
    ["operator", name],
    ["roles", roles.join(", ")],
    ...(disabledAt === undefined ? [] : [["disabled", formatTime(disabledAt)] as const]),
    ...(unconfirmedSince === undefined
      ? []
      : [["officer", "not confirmed by another officer yet"] as const]),
  ]);
}

const operatorColumns: readonly Column<OperatorDetails>[] = [
  ["operator", ({ name }) => name],
  ["roles", ({ roles }) => roles.join(", ")],
  [
    "status",
    ({ disabledAt, unconfirmedSince }) =>
      disabledAt !== undefined
        ? `disabled ${formatTime(disabledAt)}`
        : unconfirmedSince === undefined
          ? "active"
          : "not confirmed",
    { tone: ({ disabledAt }) => (disabledAt === undefined ? "good" : "bad") },
  ],
  ["passkeys", ({ passkeys }) => String(passkeys), { right: true }],
  ["sessions", ({ sessions }) => String(sessions), { right: true }],
  ["created", ({ createdAt }) => formatTime(createdAt)],
];
