// Finds persons and companies by what is known about them. What is searched for is only in forms, never in an address,
// which logs and browsers keep.

import { formatCount } from "../../basics/format-count.ts";
import { type Form, readText, renderInput } from "../../console/html/field.ts";
import { renderOrganizationInput, withOrganization } from "../../console/html/filter.ts";
import { type Column, html, type Html, renderTable } from "../../console/html/html.ts";
import { readRecordKey, recordPath } from "../../console/html/link.ts";
import { renderParty } from "../../console/html/party.ts";
import { renderAgo } from "../../console/html/time.ts";
import { inWords } from "../../console/html/typed-value.ts";
import type { Next, Panels, Person, Route } from "../../console/page.ts";
import { act, read } from "../../console/route.ts";
import type { Screen } from "../../console/frame/screens.ts";
import { limits } from "../../domain/limits.ts";
import { titleOf } from "../../domain/record-types.ts";
import {
  describeLeftOut,
  describeNobody,
  type DescribedSubjects,
  findDescribed,
  leftOutSimilar,
  type SubjectMatch,
} from "./find-subjects.ts";
import { rights } from "./rows.ts";
import { criteria, labels } from "./value-terms.ts";

const path = "/console/subjects";
const right = rights["subject.find"];
const [screenName, title] = ["Persons", "Find a person or a company"];

export const screens: readonly (Screen & { readonly task: string })[] = [
  { path, label: screenName, right, icon: "person", task: "Records" },
];

export const routes: readonly Route[] = [
  read(path, right, showSearch),
  act(path, right, searchSubjects, showSearch),
];

export const panels: Panels = {
  find: ({ app }) =>
    Promise.resolve(
      app.viewer.may(right) &&
        html`<p>
          <a href="${path}">${title}</a> by name, date of birth, e-mail, telephone or number.
        </p>`,
    ),
};

function showSearch(person: Person): Promise<Next> {
  const asking = person.sources.panels.map(({ party }) => party?.(person));
  const body = html`${renderSearch(withOrganization(person))} ${asking}`;
  return Promise.resolve({ title: screenName, screen: path, body });
}

function renderSearch(form: Form): Html {
  const required = true;
  const maxlength = limits.textCharactersMax;
  const field = (label: string, name: string, input: Parameters<typeof renderInput>[2]) =>
    renderInput(label, name, { value: form.get(name), autocomplete: "off", ...input });
  return html`<section aria-label="Search">
    <form class="filters" method="post" action="${path}">
      ${renderOrganizationInput(form, { required, autocomplete: "off" })}
      ${criteria.map((name) =>
        field(labels[name], name, { maxlength, type: name === "born" ? "date" : "text" }),
      )}
      ${field("Reason of the search", "reason", { maxlength: limits.reasonCharactersMax, required })}
      <button type="submit" class="main">Search</button>
    </form>
    <p class="note">
      Your name, the reason and which fields you filled in go to the audit trail, but not what you
      entered: put no personal data in the reason.
    </p>
  </section>`;
}

async function searchSubjects(person: Person, form: URLSearchParams): Promise<Next> {
  const found = await findDescribed(person.app, {
    organizationId: readRecordKey(form).organizationId,
    reason: readText(form, "reason") ?? "",
    wanted: Object.fromEntries(criteria.map((name) => [name, readText(form, name)])),
  });
  const { subjects, total, more, incomplete } = found;
  const leftOut = describeLeftOut(found);
  const nobody = `${describeNobody(found)} ${total === 0 ? notCompared : ""}`;
  const body = html`${renderSearch(form)}
    <section aria-labelledby="found">
      <h2 id="found">Found: ${more && "at least "}${formatCount(total, "subject")}</h2>
      ${incomplete !== undefined && html`<p role="alert">Not complete: ${incomplete}</p>`}
      ${renderTable(columnsFor(person, form), subjects, { empty: nobody })}
      ${leftOut !== undefined && html`<p role="alert">${leftOut}</p>`}
    </section>
    ${found.similar.length > 0 && renderSimilar(person, form, found)}`;
  return { title: screenName, screen: path, body };
}

function renderSimilar(
  person: Person,
  form: URLSearchParams,
  { similar, moreSimilar }: DescribedSubjects,
): Html {
  const count = `${moreSimilar ? "at least " : ""}${formatCount(similar.length, "subject")}`;
  return html`<section aria-labelledby="similar">
    <h2 id="similar">Similar: ${count}</h2>
    <p class="note">Not the name that was searched for, but one that is often meant by it.</p>
    ${renderTable(columnsFor(person, form), similar)}
    ${moreSimilar && html`<p role="alert">${leftOutSimilar}</p>`}
  </section>`;
}

type Subject = DescribedSubjects["subjects"][number];

function columnsFor(person: Person, form: URLSearchParams): readonly Column<Subject>[] {
  const { organizationId } = readRecordKey(form);
  const [reason = "", name] = ["reason", "name"].map((field) => readText(form, field));
  const keyOf = ({ resource_type: resourceType, resource_id: resourceId }: Subject) => {
    return { organizationId, resourceType, resourceId };
  };
  const columns: readonly Column<Subject>[] = [
    [
      "Subject",
      (one) =>
        html`${one.resource_type !== "person" && `${titleOf(one.resource_type)} `}<a
            href="${recordPath("/console/record", keyOf(one))}"
            >${renderParty(one.name, one.resource_id)}</a
          >`,
      "text",
    ],
    ["Born or founded", ({ born }) => born ?? "–"],
    ["City", ({ city }) => html`<bdi>${city ?? "–"}</bdi>`, "text"],
    ["State", ({ state }) => (state === undefined ? "–" : inWords(state)), "text"],
    ["Last change", ({ last_seen }) => renderAgo(Date.parse(last_seen))],
    ["Matched", ({ matched }) => matched.map(describeMatch).join("; "), "text"],
  ];
  const added = person.sources.panels.flatMap(({ party }): Column<Subject>[] => {
    if (party === undefined || !party(person)) return [];
    const heading = html`<span class="sr">What can be done</span>`;
    const found = (one: Subject) => ({ key: keyOf(one), reason, name, match: matchOfName(one) });
    return [[heading, (one) => party(person, found(one))]];
  });
  return [...columns, ...added];
}

const notCompared =
  "Nothing is compared by sound: search for each spelling. Erased persons and companies are not found.";

function matchOfName({ matched }: Subject): string {
  const found = matched.find(({ criterion }) => criterion === "name");
  if (found === undefined) return "other";
  if (found.match !== "exact" && found.match !== "partial") return "similar";
  return found.former ? "former" : found.match;
}

/** Names the field where that says more than what was searched for. */
function describeMatch({ criterion, match, field, former }: SubjectMatch): string {
  const [label = ""] = labels[criterion].split(",");
  const name = former ? `former value of ${inWords(field).toLowerCase()}` : inWords(field);
  return name === label ? `${label}: ${match}` : `${label}: ${match}, ${name}`;
}
