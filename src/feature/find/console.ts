// Finds persons and companies by what is known about them, and shows the answer to an authority as a page to print.
// Search criteria are only in forms, never in an address, which logs and browsers keep.

import { answerSubject, describeAnswer } from "../subject/answer-subject.ts";
import {
  describeEmptyPage,
  findDescribed,
  type FoundSubject,
  leftOut,
  type SubjectMatch,
  type SubjectsFound,
  type DescribedSubjects,
} from "./find-subjects.ts";
import { limits } from "../../domain/limits.ts";
import { titleOf } from "../../domain/record-types.ts";
import { searchedTypes } from "./store/searched-types.ts";
import {
  fieldsOf,
  type Form,
  readText,
  readWhole,
  renderButton,
  renderInput,
  renderReason,
  renderTick,
} from "../../console/html/field.ts";
import { renderOrganizationInput, renderTypeChoice, withOrganization } from "../../console/html/filter.ts";
import { type Column, html, type Html, renderTable } from "../../console/html/html.ts";
import { keyFields, readRecordKey, recordPath } from "../../console/html/link.ts";
import { renderParty } from "../../console/html/party.ts";
import { formatCount } from "../../basics/format-count.ts";
import { formatNumber, renderAgo } from "../../console/html/time.ts";
import type { Next, Person } from "../../console/page.ts";

const path = "/console/subjects";
const screen = path;
const shownMax = 50;
const skipMax = 1_000_000;
/** If an answer would have to search more transactions, the command has to be used, because it has the time. */
const searchedMax = 100_000;

const labels = {
  name: "Name",
  born: "Date of birth",
  email: "E-mail address",
  telephone: "Telephone number, best with its country",
  document: "Number of an identity document",
  registration: "Number of a company in a register",
} as const satisfies Readonly<Record<SubjectMatch["criterion"], string>>;

const criteria = Object.keys(labels) as readonly SubjectMatch["criterion"][];

export async function showSearch(person: Person): Promise<Next> {
  const mayAnswer = person.app.viewer.may("subject.answer");
  const body = html`${renderSearch(withOrganization(person))} ${mayAnswer && renderAsking(person)}`;
  return { title: "Find a person or a company", screen, body };
}

function renderSearch(form: Form): Html {
  const field = (label: string, name: string, input: Parameters<typeof renderInput>[2]) =>
    renderInput(label, name, { value: form.get(name), autocomplete: "off", ...input });
  const required = true;
  return html`<section aria-label="Search">
    <form class="filters" method="post" action="${path}">
      ${renderOrganizationInput(form, { required, autocomplete: "off" })}
      ${criteria.map((name) => {
        const type = name === "born" ? "date" : "text";
        return field(labels[name], name, { maxlength: limits.textCharactersMax, type });
      })}
      ${field("Reason of the search", "reason", { maxlength: limits.reasonCharactersMax, required })}
      <button type="submit" class="main">Search</button>
    </form>
    <p class="note">
      Your name, the reason and which fields you filled in go to the audit trail, but not what you
      entered: put no personal data in the reason.
    </p>
  </section>`;
}

export async function searchSubjects(person: Person, form: URLSearchParams): Promise<Next> {
  const skip = readWhole(form, "skip", { label: "Where the page begins", max: skipMax }) ?? 0;
  const { organizationId } = readRecordKey(form);
  const found = await findDescribed(person.app, {
    organizationId,
    reason: readText(form, "reason") ?? "",
    wanted: Object.fromEntries(criteria.map((name) => [name, readText(form, name)])),
    skip,
    limit: shownMax,
  });
  const body = html`${renderSearch(form)} ${renderFound(person, form, { found, skip })}`;
  return { title: "Find a person or a company", screen, body };
}

type Subject = DescribedSubjects["subjects"][number];

function renderFound(
  { app }: Person,
  form: URLSearchParams,
  { found, skip }: { readonly found: DescribedSubjects; readonly skip: number },
): Html {
  const { subjects, total, more, incomplete } = found;
  const { organizationId } = readRecordKey(form);
  const columns: readonly Column<Subject>[] = [
    [
      "Subject",
      (one) =>
        html`<a href="${recordPath("/console/record", keyOf(organizationId, one))}"
          >${renderParty(one.name, one.resource_id)}</a
        >`,
      "bare",
    ],
    ["Type", ({ resource_type }) => titleOf(resource_type)],
    ["Born or founded", ({ born }) => born ?? "–"],
    ["City", ({ city }) => html`<bdi>${city ?? "–"}</bdi>`],
    ["State", ({ state }) => state ?? "–"],
    ["Last seen", ({ last_seen }) => renderAgo(Date.parse(last_seen))],
    ["Matched", ({ matched }) => matched.map(describeMatch).join("; "), "text"],
  ];
  const answering: Column<Subject> = [
    html`<span class="sr">Answer</span>`,
    (one) =>
      renderButton(
        html`Answer<span class="sr"> about ${one.resource_id}</span>`,
        `${path}/answer`,
        {
          fields: { ...keyFields(keyOf(organizationId, one)), ...fieldsOf(form, ["reason"]) },
        },
      ),
  ];
  const shown = app.viewer.may("subject.answer") ? [...columns, answering] : columns;
  const from = `${formatNumber(skip + 1)} to ${formatNumber(skip + subjects.length)}`;
  return html`<section aria-labelledby="found">
    <h2 id="found">Found: ${more && "at least "}${formatCount(total, "subject")}</h2>
    ${incomplete !== undefined && html`<p role="alert">Not complete: ${incomplete}</p>`}
    ${renderTable(shown, subjects, { empty: describeNone(found, skip) })}
    ${more && html`<p role="alert">${leftOut}</p>`}
    ${total > shownMax && subjects.length > 0 && html`<p>These are ${from}.</p>`}
    ${skip + shownMax < total && renderNext(form, skip + shownMax)}
  </section>`;
}

const notCompared =
  "Nothing is compared by sound or by similarity: search for each spelling. Erased persons and companies are not found.";

function describeNone(found: SubjectsFound, skip: number): string {
  const page = describeEmptyPage(found, skip);
  return found.total === 0 ? `${page} ${notCompared}` : page;
}

function keyOf(organizationId: string, { resource_type, resource_id }: FoundSubject) {
  return { organizationId, resourceType: resource_type, resourceId: resource_id };
}

function describeMatch({ criterion, match, field, former }: SubjectMatch): string {
  return `${labels[criterion].split(",")[0]}: ${match}, ${former ? "former value of " : ""}${field}`;
}

function renderNext(form: Form, skip: number): Html {
  const fields = { ...fieldsOf(form, ["organization", ...criteria, "reason"]), skip };
  return renderButton("Show the next ones", path, { fields });
}

/** The answer about a known id, even if the record of the subject was erased. */
function renderAsking({ app }: Person): Html {
  const query = new URLSearchParams();
  return html`<section aria-labelledby="answer">
    <h2 id="answer">Answer about an id</h2>
    <p>
      The answer says whether a business relationship exists or existed, when and of what nature,
      and what was erased.
    </p>
    <form class="filters" method="post" action="${path}/answer">
      ${renderOrganizationInput(query, { required: true })}
      ${renderTypeChoice(query, searchedTypes, { label: "Type", unset: "choose one" })}
      ${renderInput("Id", "id", { maxlength: limits.idCharactersMax, required: true })}
      ${renderReason("Which inquiry it answers")}
      ${app.viewer.may("confidential.read") && renderTick("Include confidential reports", "confidential")}
      <button type="submit">Answer</button>
    </form>
  </section>`;
}

export async function showAnswer(person: Person, form: URLSearchParams): Promise<Next> {
  const answer = await answerSubject(person.app, {
    ...readRecordKey(form),
    reason: readText(form, "reason") ?? "",
    confidential: form.get("confidential") === "on",
    searchedMax,
  });
  const parts = describeAnswer(answer).filter(([, lines]) => lines.length > 0);
  const body = html`<p class="note screen">
      Print this page with your browser. That you made this answer is in the audit trail.
      <a href="${path}">To the search</a>
    </p>
    ${parts.map(
      ([heading, lines]) =>
        html`<section>
          <h2>${heading}</h2>
          ${lines.map((line) => html`<p><bdi>${line}</bdi></p>`)}
        </section>`,
    )}`;
  return { title: "Answer to an inquiry", screen, body };
}
