// The answer to an authority about a person or a company, as a page to print: asked for by an id, or for somebody who
// was found. The reason is only in forms, never in an address, which logs and browsers keep.

import { answerSubject, describeAnswer } from "./answer-subject.ts";
import { partyTypes } from "../../domain/deletion/party.ts";
import { limits } from "../../domain/limits.ts";
import {
  readText,
  renderButton,
  renderInput,
  renderReason,
  renderTick,
} from "../../console/html/field.ts";
import { renderOrganizationInput, renderTypeChoice } from "../../console/html/filter.ts";
import { html, type Html } from "../../console/html/html.ts";
import { keyFields, readRecordKey } from "../../console/html/link.ts";
import type { FoundParty, Next, Panels, Person } from "../../console/page.ts";

export const answerPath = "/console/subjects/answer";
/** If an answer would have to search more transactions, the command has to be used, because it has the time. */
const searchedMax = 100_000;
const screen = "/console/find";

export const panels: Panels = {
  actions: [["Answer an inquiry about a person or a company", answerPath, "subject.answer"]],
  party: ({ app }, found) =>
    app.viewer.may("subject.answer") &&
    (found === undefined ? renderAsking(app.viewer) : renderAnswering(found)),
};

function renderAnswering({ key, reason }: FoundParty): Html {
  const label = html`Answer<span class="sr"> about ${key.resourceId}</span>`;
  return renderButton(label, answerPath, { fields: { ...keyFields(key), reason } });
}

export function showAsking({ app }: Person): Promise<Next> {
  return Promise.resolve({ title: "Answer an inquiry", screen, body: renderAsking(app.viewer) });
}

/** The answer about a known id, even if the record of the subject was erased. */
function renderAsking(viewer: Person["app"]["viewer"]): Html {
  const query = new URLSearchParams();
  const types = partyTypes.map(({ resourceType }) => resourceType);
  return html`<section aria-labelledby="answer">
    <h2 id="answer">Answer about an id</h2>
    <p>
      The answer says whether a business relationship exists or existed, when and of what nature,
      and what was erased.
    </p>
    <form class="filters" method="post" action="${answerPath}">
      ${renderOrganizationInput(query, { required: true })}
      ${renderTypeChoice(query, types, { label: "Type", unset: "choose one" })}
      ${renderInput("Id", "id", { maxlength: limits.idCharactersMax, required: true })}
      ${renderReason("Which inquiry it answers")}
      ${viewer.may("confidential.read") && renderTick("Include confidential reports", "confidential")}
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
      <a href="${answerPath}">Answer another inquiry</a>
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
