// The pages of this feature, and what they add to other pages: access requests (pages.ts), the answer to an authority,
// and the letter about an erasure.

import {
  readDate,
  readText,
  renderButton,
  renderHidden,
  renderInput,
  renderReason,
  renderTick,
} from "../../console/html/field.ts";
import { html, type Html } from "../../console/html/html.ts";
import { deletionPath, keyFields, readRecordKey, recordPath } from "../../console/html/link.ts";
import type { FoundParty, Next, Panels, Person } from "../../console/page.ts";
import { act, read } from "../../console/route.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import { limits } from "../../domain/limits.ts";
import { writeAnswer } from "./answer-letter.ts";
import { answerSubject } from "./answer-subject.ts";
import { mayWrite, writeErasureLetter } from "./erasure-letter.ts";
import { accessPath, accessRoutes, renderForm, searchedMax } from "./pages.ts";
import { rights } from "./rows.ts";
import { renderSheet } from "./sheet.ts";
import { letterTexts } from "./texts.ts";

const personsPath = "/console/subjects";
const answerPath = `${personsPath}/answer` as const;
const erasurePath = "/console/deletion/:id/letter";
const answering = rights["subject.answer"];

function showAsking(person: Person): Promise<Next> {
  const body = renderAsking(person);
  return Promise.resolve({ title: "Answer an inquiry", screen: personsPath, body });
}

/** The answer about a known id, even if the record of the subject was erased. */
function renderAsking({ app, query }: Person): Html {
  const name = { value: query.get("name"), maxlength: limits.textCharactersMax } as const;
  const fields = html`${renderReason("Which inquiry it answers")}
  ${renderInput("Name asked for", "name", { ...name, autocomplete: "off" })}
  ${app.viewer.may("confidential.read") && renderTick("Include confidential reports", "confidential")}`;
  return html`<section aria-labelledby="answer">
    <h2 id="answer">Answer about an id</h2>
    <p>
      The answer is a letter to print. It says whether a business relationship exists or existed,
      when and of what nature, and what was erased. The name that the authority asked for is in the
      letter only.
    </p>
    ${renderForm(answerPath, new URLSearchParams(), { fields, button: "Answer" })}
  </section>`;
}

/** About somebody whose name is another one, an officer says first that this is who was asked for. */
function renderAnswering({ key, reason, name, match }: FoundParty): Html {
  const fields = { ...keyFields(key), reason, name, match };
  const about = html`<span class="sr"> about ${key.resourceId}</span>`;
  if (match === "exact" || name === undefined) {
    return renderButton(html`Answer${about}`, answerPath, { fields });
  }
  return html`<form method="post" action="${answerPath}">
    ${renderHidden(fields)}
    <details>
      <summary>Answer…${about}</summary>
      <p>Is it who was asked for?</p>
      <button type="submit">Yes, it is</button>
    </details>
  </form>`;
}

async function showAnswer(person: Person, form: URLSearchParams): Promise<Next> {
  const answer = await answerSubject(person.app, {
    ...readRecordKey(form),
    reason: readText(form, "reason") ?? "",
    confidential: form.get("confidential") === "on",
    searchedMax,
  });
  const texts = person.app.setting(letterTexts);
  const [name, match] = ["name", "match"].map((field) => readText(form, field));
  const body = html`<p class="note screen">
      That you made this answer is in the audit trail.
      <a href="${answerPath}">Answer another inquiry</a>
    </p>
    ${renderSheet(texts, writeAnswer(answer, texts, { name, match }))}`;
  return { title: "Answer to an inquiry", screen: personsPath, body };
}

async function showErasure(person: Person): Promise<Next> {
  const { app, id, query } = person;
  const texts = app.setting(letterTexts);
  const received = readDate(query, "received", "The day of the request");
  const letter = await writeErasureLetter(app, id, { texts, received });
  const day = { type: "date", value: query.get("received"), required: true } as const;
  const body = html`<form class="filters screen" method="get">
      ${renderInput("When the request came, which is not stored", "received", day)}
      <button type="submit">Write this day</button>
    </form>
    ${renderSheet(texts, letter)}`;
  const within = [[deletionPath(id), `Deletion ${id}`]] as const;
  return { title: "Letter about an erasure", screen: "/console/deletions", within, body };
}

const showing = rights["subject.show"];

export const screens = [
  { task: "Records", path: accessPath, label: "Access requests", right: showing, icon: "access" },
] as const;

export const routes = [
  ...accessRoutes,
  read(answerPath, answering, showAsking),
  act(answerPath, answering, showAnswer, showAsking),
  read(erasurePath, "deletion.read", showErasure),
];

export const panels: Panels = {
  record: ({ app }, key) =>
    isPartyType(key.resourceType) &&
    app.viewer.may(showing) &&
    html` <a class="button" href="${recordPath(accessPath, key)}">Access request</a>`,
  party: (person, match) =>
    person.app.viewer.may(answering) &&
    (match === undefined ? renderAsking(person) : renderAnswering(match)),
  deletion: async (person, deletion) =>
    (await mayWrite(person.app, deletion)) &&
    html`<a class="button" href="${deletionPath(deletion.deletionRequestId)}/letter">Letter</a>`,
};
