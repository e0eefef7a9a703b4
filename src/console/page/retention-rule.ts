// The rule of a record type in the console: the table of rules, the form for one, its effects, and its confirmation.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import {
  describeRequested,
  previewRule,
  type RuleSetting,
  setRule,
} from "../../actions/retention/retention-rules.ts";
import { limits } from "../../domain/limits.ts";
import { describeRule } from "../../domain/retention/ceiling.ts";
import {
  floorOrigins,
  formatDays,
  originWords,
  type RetentionRule,
} from "../../domain/retention/floor.ts";
import { titleOf } from "../../domain/record-types.ts";
import {
  fieldsOf,
  type Form,
  readText,
  readWhole,
  renderHidden,
  renderInput,
  renderIdField,
  requireTyped,
} from "../html/field.ts";
import { renderChoice, renderTypeChoice } from "../html/filter.ts";
import {
  type Column,
  html,
  type Html,
  type HtmlValue,
  renderElement,
  renderTable,
} from "../html/html.ts";
import { sluice } from "../../basics/program-name.ts";
import type { Next, Person } from "../page.ts";

export const screen = "/console/retention";

type RetentionPath = typeof screen | `${typeof screen}?${string}`;

export function retentionPath(
  organizationId: string,
  more: Readonly<Record<string, string>> = {},
): RetentionPath {
  return `${screen}?${new URLSearchParams({ organization: organizationId, ...more }).toString()}`;
}

export function describeTimes({ keepDays, deleteAfterDays }: RetentionRule): string {
  const floor = keepDays === 0 ? [] : [`kept ${formatDays(keepDays)}`];
  const ceiling =
    deleteAfterDays === undefined ? [] : [`erased after ${formatDays(deleteAfterDays)}`];
  return [...floor, ...ceiling].join(", ");
}

interface RulesView {
  readonly organizationId: string;
  readonly retainDays: number | undefined;
  /** Its `change` is the type whose row is a form. */
  readonly query: URLSearchParams;
  /** Why the rule that was entered in the row is refused. */
  readonly refused: string | undefined;
  readonly mayChange: boolean;
}

export function renderRules(rules: readonly RetentionRule[], view: RulesView): Html {
  const none = html`<p>
    There is no floor: a deletion that is requested begins after its grace period.
  </p>`;
  return html`<section aria-labelledby="rules">
    <h2 id="rules">Rules of types</h2>
    ${rules.length === 0 ? none : renderTable(columnsOf(view), rules)}
  </section>`;
}

function columnsOf({
  organizationId,
  retainDays,
  query,
  refused,
  mayChange,
}: RulesView): readonly Column<RetentionRule>[] {
  const changing = mayChange ? query.get("change") : undefined;
  const isChanged = ({ resourceType }: RetentionRule) => resourceType === changing;
  const entered = (rule: RetentionRule) => (isChanged(rule) ? query : undefined);
  const columns: readonly Column<RetentionRule>[] = [
    ["Type", ({ resourceType }) => titleOf(resourceType), "bare"],
    ["Kept at least", (rule) => renderDays("keep", rule.keepDays || undefined, entered(rule))],
    ["Erased after", (rule) => renderDays("delete", rule.deleteAfterDays, entered(rule))],
    ["In words", (rule) => describeRule(rule, retainDays), "text"],
    ["References", ({ redactable }) => (redactable ? "redactable" : "kept too")],
  ];
  const change: Column<RetentionRule> = [
    html`<span class="sr">Change</span>`,
    (rule) =>
      isChanged(rule)
        ? renderChanging(organizationId, rule, refused)
        : renderChange(organizationId, rule),
  ];
  return mayChange ? [...columns, change] : columns;
}

const dayLabels = { keep: "Keep at least, in days", delete: "Erase after, in days" } as const;
const changeForm = "change";

/** `entered`: in the row that is changed, what was entered there. */
function renderDays(
  name: keyof typeof dayLabels,
  value: number | undefined,
  entered: URLSearchParams | undefined,
): HtmlValue {
  if (entered === undefined) return value === undefined ? "–" : formatDays(value);
  const field = {
    name,
    value: entered.get(name) ?? value,
    form: changeForm,
    inputmode: "numeric",
    size: 6,
  };
  return renderElement("input", { "aria-label": dayLabels[name], ...field });
}

function renderChange(organizationId: string, { resourceType }: RetentionRule): Html {
  return html`<a href="${retentionPath(organizationId, { change: resourceType })}"
    >Change<span class="sr"> the rule of ${titleOf(resourceType)}</span></a
  >`;
}

function renderChanging(
  organizationId: string,
  { resourceType, countedFrom, redactable }: RetentionRule,
  refused: string | undefined,
): Html {
  const fields = {
    organization: organizationId,
    change: resourceType,
    rule: resourceType,
    from: countedFrom,
    references: redactable ? "redactable" : "",
  };
  return html`<form id="${changeForm}" method="get" action="${screen}">
    ${renderHidden(fields)}<button type="submit">Preview</button>
    ${refused !== undefined && html`<small class="refused" role="alert">${refused}</small>`}
  </form>`;
}

/** The fields of the form. If the number of days is empty, the rule does not have that part. */
function readRule(form: Form, organizationId: string): RuleSetting {
  const max = limits.retainDaysMax;
  const from = readText(form, "from") ?? floorOrigins[0];
  const countedFrom = floorOrigins.find((one) => one === from);
  if (countedFrom === undefined) {
    throw new OperatorError("invalid", `Rules count from ${floorOrigins.join(" or ")}.`);
  }
  return {
    organizationId,
    resourceType: form.get("rule") ?? "",
    keepDays: readWhole(form, "keep", { label: "The floor", max }) ?? null,
    deleteAfterDays: readWhole(form, "delete", { label: "The ceiling", max }) ?? null,
    countedFrom,
    redactable: readText(form, "references") === "redactable",
  };
}

interface Planned {
  readonly body?: Html;
  readonly refused?: string;
  readonly status: number;
}

/** Plans the rule in the query, or says why it is not possible; the form still has what was entered. */
export async function planRule(person: Person, organizationId: string): Promise<Planned> {
  try {
    return { body: await renderPlannedRule(person, organizationId), status: 200 };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { refused: error.message, status: error.row.status };
  }
}

async function renderPlannedRule({ app, query }: Person, organizationId: string): Promise<Html> {
  const rule = readRule(query, organizationId);
  const { effect, due, last, seen } = await previewRule(app, rule);
  const fields = ["rule", "keep", "delete", "from", "references"];
  return html`<section class="danger" aria-labelledby="planned">
    <h2 id="planned">Set this rule?</h2>
    <p>
      <strong>${effect}</strong> ${describeRequested({ due, last })}
      ${last !== undefined && examineAll("retention set --dry-run")} Type the id of the organization
      to confirm.
    </p>
    <form method="post" action="/console/retention/rule">
      ${renderHidden({ ...fieldsOf(query, fields), seen })}
      ${renderOrganizationFields(organizationId)}
      <button type="submit">Set the rule</button>
    </form>
  </section>`;
}

/** A page reads a part: who has to know all of it before it is set asks on the server. */
export function examineAll(command: string): Html {
  return html`On the server, <code>${sluice} ${command}</code> examines all of them.`;
}

export function renderRuleForm(
  organizationId: string,
  { types, query }: { readonly types: readonly string[]; readonly query: URLSearchParams },
): Html {
  const [usual, ...others] = floorOrigins;
  const numeric = (name: string) => ({ inputmode: "numeric", value: query.get(name) }) as const;
  return html`<section aria-labelledby="rule">
    <h2 id="rule">Set or remove the rule of a type</h2>
    <p>
      A deletion that would erase a record of the type before the end of the floor waits. When the
      ceiling has passed, the service requests the deletion itself. Leave a number empty for no
      floor, or no ceiling of the type. The next page says in words what the rule would do, before
      it is set.
    </p>
    <form class="filters" method="get" action="${screen}">
      ${renderHidden({ organization: organizationId })}
      ${renderTypeChoice(query, types, { name: "rule", unset: "choose one" })}
      ${renderInput(dayLabels.keep, "keep", numeric("keep"))}
      ${renderInput(dayLabels.delete, "delete", numeric("delete"))}
      ${renderChoice("Counted", "from", {
        query,
        values: others.map((origin) => [origin, originWords[origin]]),
        unset: originWords[usual],
      })}
      ${renderChoice("References in its records", "references", {
        query,
        values: [["redactable", "may be redacted"]],
        unset: "kept too",
      })}
      <button type="submit">Show what it would do</button>
    </form>
  </section>`;
}

export function renderOrganizationFields(organizationId: string): Html {
  return html`${renderHidden({ organization: organizationId })} ${renderIdField("organization")}`;
}

export function readConfirmed(form: Form): string {
  const organizationId = readText(form, "organization") ?? "";
  requireTyped(form, organizationId, "organization");
  return organizationId;
}

export async function setOneRule(person: Person, form: URLSearchParams): Promise<Next> {
  const organizationId = readConfirmed(form);
  await setRule(person.app, readRule(form, organizationId), form.get("seen") ?? undefined);
  return retentionPath(organizationId);
}
