// Legal holds: the list with filters, and the form that places one.

import {
  holdRecord,
  listHolds,
  type ReviewState,
  reviewStates,
} from "../../actions/retention/holds.ts";
import { shownHolds } from "../../noun/hold.ts";
import { limits } from "../../domain/limits.ts";
import { holdWarningDays, holdYearsMax } from "../../domain/retention/hold-end.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Next, Person } from "../page.ts";
import { readRecordKey, recordPath, renderKeyFields } from "../html/link.ts";
import { readText, renderInput, renderReason } from "../html/field.ts";
import {
  renderNext,
  renderChoice,
  renderOrganizationInput,
  renderTypeChoice,
  withOrganization,
} from "../html/filter.ts";
import { html, type Html } from "../html/html.ts";

type Shown = Awaited<ReturnType<typeof listHolds>>;

const screen = "/console/holds";
const shownMax = 50;

const reviewLabels: Readonly<Record<ReviewState, string>> = {
  overdue: "review overdue",
  ahead: "review ahead",
  none: "no review date",
};

export async function showHolds(person: Person): Promise<Next> {
  const query = withOrganization(person);
  const text = (name: string) => readText(query, name);
  const filter = {
    organizationId: text("organization"),
    resourceType: text("type"),
    owner: text("owner"),
    review: reviewStates.find((state) => state === text("review")),
    endsSoon: text("end") === "soon",
    reviewInQuarter: text("review") === "quarter",
    endsInQuarter: text("end") === "quarter",
  };
  const part = await listHolds(person.app, filter, { after: text("after"), limit: shownMax });
  const body = html`${await renderFilters({ ...person, query })}
  ${renderPart({ ...person, query }, part)}`;
  return { title: "Legal holds", screen, body };
}

async function renderFilters({ app, query }: Person): Promise<Html> {
  const types = await app.viewer.knownTypes(readText(query, "organization") ?? "");
  return html`<form class="filters" method="get" action="${screen}">
    ${renderOrganizationInput(query)} ${renderTypeChoice(query, types)}
    ${renderInput("Owner", "owner", {
      value: query.get("owner"),
      maxlength: limits.nameCharactersMax,
    })}
    ${renderChoice("Review", "review", {
      query,
      values: [
        ...reviewStates.map((state) => [state, reviewLabels[state]] as const),
        ["quarter", "review this quarter"],
      ],
    })}
    ${renderChoice("End", "end", {
      query,
      values: [
        ["soon", `ends within ${holdWarningDays} days`],
        ["quarter", "ends this quarter"],
      ],
    })}
    <button type="submit">Filter</button>
  </form>`;
}

function renderPart({ app, query }: Person, { shown, next }: Shown): Html {
  const more = renderNext("More holds", screen, { query, place: { after: next } });
  const holds = shown.map(({ hold }) => hold);
  const where = next === undefined ? "" : " among those that were examined";
  const empty = html`There is no such hold${where}. A hold keeps a record from being erased or
    changed by deletions: <a href="/console/find">find a record</a> to place one.`;
  return html`${shownHolds.list(holds, app, { empty })} ${more}`;
}

export function renderPlacing(key: RecordKey): Html {
  return html`<details>
    <summary>A new hold</summary>
    <p id="place">
      No deletion erases or changes the record until its last hold is released or has ended.
      Deletions that would do so wait. The organization does not see holds. A hold can end by
      itself, up to ${holdYearsMax} years ahead.
    </p>
    <form class="settings" method="post" action="/console/record/hold">
      ${renderKeyFields(key)} ${renderReason()}
      ${renderInput("Owner, such as a person or a department", "owner", {
        maxlength: limits.nameCharactersMax,
        autocomplete: "off",
      })}
      ${renderInput("Review date", "review", { type: "date" })}
      ${renderInput("Ends by itself after", "until", { type: "date" })}
      <button type="submit">Place the hold</button>
    </form>
  </details>`;
}

export async function placeOne(person: Person, form: URLSearchParams): Promise<Next> {
  const key = readRecordKey(form);
  const reason = readText(form, "reason") ?? "";
  const owner = readText(form, "owner");
  const reviewOn = readText(form, "review");
  const endsOn = readText(form, "until");
  await holdRecord(person.app, key, { reason, owner, reviewOn, endsOn });
  return recordPath("/console/record", key);
}
