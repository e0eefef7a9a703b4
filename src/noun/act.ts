// What people do with a noun: an act is a command and the form of a page, with the same arguments and options. The form
// is rendered here; src/console/route.ts reads what was sent.

import type { App } from "../actions/app.ts";
import {
  type Command,
  defineStoreCommand,
  type None,
  optional,
  type Parameters,
  type StoreDefinition,
  type Values,
} from "../cli/command.ts";
import { onOff, text as textKind } from "../cli/input/kinds.ts";
import { type Input, renderIdField, renderInput, renderTick } from "../console/html/field.ts";
import { renderChoice } from "../console/html/filter.ts";
import {
  type Html,
  html,
  type HtmlValue,
  renderElement,
  renderFacts,
} from "../console/html/html.ts";
import { addressOf } from "../console/html/link.ts";
import type { PageView } from "../console/frame/frame.ts";
import type { Next, Person } from "../console/page.ts";
import type { NamedValues, Noun } from "./noun.ts";

/** A field of a form, with the name of the option by whose kind its value is read. */
export interface Field extends Input {
  /** Begins with the name by which messages call the field. */
  readonly label: string;
  readonly boxes?: readonly (readonly [value: string, label: string])[];
  readonly isTicked?: true;
  /** True if no box that is ticked is the same as no option. */
  readonly isUnset?: true;
  /** The text that an empty field stands for; a field that is not sent stands for nothing. */
  readonly empty?: string;
  /** `lines`: a text of several lines, each a value; `text`: one value of several lines. */
  readonly area?: "lines" | "text";
}

export interface Form<Result> {
  /** The address; `:id` is the first argument of the act, or its organization. */
  readonly path: `/console/${string}`;
  readonly heading: string;
  readonly text?: HtmlValue;
  readonly note?: HtmlValue;
  readonly button?: string;
  /** Opened by its heading; its button is the main one. */
  readonly folded?: true;
  /** The word for what is typed the id of, to confirm. */
  readonly confirm?: string;
  readonly fields?: Readonly<Record<string, Field>>;
  readonly next?: (result: Result, person: Person) => Next;
}

export interface FormAct extends Pick<Command, "rights" | "arguments" | "options"> {
  readonly form: Omit<Form<never>, "next">;
  readonly submit: (person: Person, values: Readonly<Record<string, unknown>>) => Promise<Next>;
}

export interface NounPage {
  readonly view: (person: Person) => Promise<PageView>;
  readonly acts: readonly FormAct[];
}

type Both<Arguments extends Parameters, Options extends Parameters> = Values<Arguments> &
  Values<Options>;

interface FormDefinition<
  Arguments extends Parameters,
  Options extends Parameters,
  Result,
> extends Pick<Command, "rights"> {
  readonly arguments?: Arguments;
  readonly options?: Options;
  readonly act: (app: App, values: Both<Arguments, Options>) => Promise<Result>;
  readonly form: Form<Result>;
}

interface ActDefinition<Arguments extends Parameters, Options extends Parameters, Result>
  extends
    FormDefinition<Arguments, Options, Result>,
    Omit<StoreDefinition<Arguments, Options>, "run" | "rights" | "arguments" | "options"> {
  readonly json: (result: Result, app: App, values: Both<Arguments, Options>) => unknown;
  readonly said: (result: Result, values: Both<Arguments, Options>, app: App) => string;
}

/** An act for which the command line has a command of its own, or none. */
export function defineForm<
  Result,
  Arguments extends Parameters = None,
  Options extends Parameters = None,
>({ act, form, rights, ...rest }: FormDefinition<Arguments, Options, Result>): FormAct {
  const { arguments: positional = {}, options = {} } = rest;
  return {
    rights,
    arguments: positional,
    options,
    form,
    submit: async (person, values) => {
      const result = await act(person.app, values as Both<Arguments, Options>);
      return form.next?.(result, person);
    },
  };
}

export function defineAct<
  Result,
  Arguments extends Parameters = None,
  Options extends Parameters = None,
>(definition: ActDefinition<Arguments, Options, Result>): Command & FormAct {
  const { act, json, said, form: _, ...rest } = definition;
  const command = defineStoreCommand<Arguments, Options>({
    ...rest,
    run: async (app, values) => {
      const result = await act(app, values);
      return { json: json(result, app, values), text: said(result, values, app) };
    },
  });
  return { ...defineForm(definition), ...command };
}

interface Listing<Row, Options extends Parameters> extends Omit<
  StoreDefinition<None, Options>,
  "run"
> {
  /** The name of the list in --json. */
  readonly plural: string;
  readonly rows: Noun<Row, never>;
  readonly find: (app: App, values: Values<None> & Values<Options>) => Promise<readonly Row[]>;
  /** Said if there are none. */
  readonly none: string;
}

export const onlyOf = (what: string) => ({
  organization: optional(textKind("ID"), `Only the ${what} of this organization.`),
});

export function defineList<Row, Options extends Parameters = None>(
  listing: Listing<Row, Options>,
): Command {
  const { plural, rows, find, none, ...rest } = listing;
  return defineStoreCommand<None, Options>({
    ...rest,
    run: async (app, values) => {
      const found = await find(app, values);
      // The application, or nothing, is what rows of a list need.
      const from = app as never;
      return {
        json: { [plural]: found.map((row) => rows.json(row, from)) },
        text: found.length === 0 ? none : rows.table(found, from),
      };
    },
  });
}

export function renderForms(
  { viewer }: Person["app"],
  acts: readonly FormAct[],
  id: string,
  shown: Shown = {},
): readonly HtmlValue[] {
  return acts.map(
    (act) => act.rights.some((right) => viewer.may(right)) && renderForm(act, id, shown),
  );
}

/** What depends on the object: the text instead of that of the form, and values of fields. */
interface Shown {
  readonly text?: HtmlValue;
  readonly values?: Readonly<Record<string, string | number | undefined>>;
}

export function renderForm(act: FormAct, id: string, shown: Shown = {}): Html {
  const { path, heading, note, folded, confirm, button, fields = {} } = act.form;
  const action = addressOf(path, id);
  const { text = act.form.text, values = {} } = shown;
  const inputs = Object.entries(fields).map(([name, field]) =>
    renderField(act, name, name in values ? { ...field, value: values[name] } : field),
  );
  const [word = ""] = heading.toLowerCase().split(" ");
  if (confirm !== undefined) {
    return html`<section class="danger" aria-labelledby="${word}">
      <h2 id="${word}">${heading}</h2>
      <p>${text} Type the id of the ${confirm} to confirm.</p>
      <form method="post" action="${action}">
        ${inputs} ${renderIdField(confirm)}
        <button type="submit">${heading} the ${confirm}</button>
      </form>
    </section>`;
  }
  const content = html`${text !== undefined && html`<p>${text}</p>`}
    <form class="${inputs.length > 0 && "settings"}" method="post" action="${action}">
      ${inputs} ${note !== undefined && html`<p class="note">${note}</p>`}
      <button type="submit" class="${folded && "main"}">
        ${button ?? heading.replace(/ an? /, " the ")}
      </button>
    </form>`;
  if (folded === true)
    return html`<details>
      <summary>${heading}</summary>
      <div id="${word}">${content}</div>
    </details>`;
  return html`<section aria-labelledby="${word}">
    <h2 id="${word}">${heading}</h2>
    ${content}
  </section>`;
}

const offOn = ["off", "on"].map((value) => [value, value] as const);

function renderField(act: FormAct, name: string, field: Field): Html {
  const { label, boxes, isTicked, isUnset: _, empty: _text, area, ...input } = field;
  const { form, placeholder, fallback } = { ...act.arguments, ...act.options }[name] ?? {};
  if (boxes !== undefined) {
    const checked = isTicked === true;
    return html`<fieldset>
      <legend>${label}</legend>
      ${boxes.map(([value, text]) => renderTick(text, name, { value, checked }))}
    </fieldset>`;
  }
  if (area !== undefined) {
    const attributes = { name, rows: 3, spellcheck: "false", required: input.required };
    return html`<label>${label} ${renderElement("textarea", attributes)}</label>`;
  }
  if (form === "flag") return renderTick(label, name);
  if (placeholder === onOff.placeholder) {
    const query = new URLSearchParams({ [name]: String(input.value ?? "off") });
    return renderChoice(label, name, { query, values: offOn, required: true });
  }
  return renderInput(label, name, { value: fallback, ...input });
}

/**
 * The form that approves; or that somebody else has to approve; or nothing. `own`: what this person did, which prevents
 * the approval.
 */
export function renderApproving(mayApprove: boolean | "own", own: string, form: Html): HtmlValue {
  if (mayApprove !== "own") return mayApprove && form;
  return html`<section aria-labelledby="approve">
    <h2 id="approve">Approve</h2>
    <p>${own}, so another person has to approve it.</p>
  </section>`;
}

/** The page that shows a new secret, the only time. `text`: where it is stored, and what to do with it. */
export function secretPage(
  title: string,
  secret: string,
  { text, facts, note }: { text: string; facts: NamedValues; note?: HtmlValue },
): Next {
  const body = html`<section>
    <p role="status">This is the only time that the secret is shown; ${text}</p>
    <pre><code>${secret}</code></pre>
    ${renderFacts(facts)} ${note !== undefined && html`<p>${note}</p>`}
  </section>`;
  return { title, screen: "/console/organizations", body, status: 201 };
}
